import { forbidden, invalid, notFound } from '../../../base/errors.ts'
import type { Page, PageHead, PageReply, PageRequest } from '../../../base/http/page.ts'
import { hashedPhone } from '../../../people/addresses/mark-invalid-phones.ts'
import { parseToken } from '../../../people/addresses/message-token.ts'
import { toE164 } from '../../../people/identity/identifier.ts'
import { listLeftGroups } from '../../../people/subscription/address-state-store.ts'
import type { Workspace } from '../../../workspace/settings/workspaces.ts'
import type { ChannelPageServices } from '../channel.ts'
import { defaultReplies, type Keyword, keywordOf } from './keywords.ts'
import { bounceOfCode, leftCode } from './outcome.ts'
import { statusUrlOf } from './prepare-texts.ts'
import { providerOf } from './provider.ts'
import { findSentText } from './sent-text-store.ts'
import { isSigned } from './signature.ts'

const signatureHeader = 'x-twilio-signature'
const failedStatuses: ReadonlySet<string> = new Set(['failed', 'undelivered'])

/** What only pages of a provider need: its secret signs each request. */
type Services = ChannelPageServices & { readonly secretOfProvider: string | undefined }

/** Returns the pages that the provider calls: what became of a text, and texts of people. Each request is signed by the provider. */
export function textPages(given: ChannelPageServices): Page[] {
  const { smsUrl } = given.config
  const services = { ...given, secretOfProvider: smsUrl === undefined ? undefined : providerOf(smsUrl).secret }
  const admit = (head: PageHead) => void workspaceOf(head, services)
  return [
    {
      path: '/webhooks/sms/{workspace}/status',
      method: 'POST',
      admit,
      render: (request) => takeStatus(request, services),
    },
    {
      path: '/webhooks/sms/{workspace}/inbound',
      method: 'POST',
      admit,
      render: (request) => takeInbound(request, services),
    },
  ]
}

/** Finds the workspace in the path. Throws 404, also when no provider is configured. */
function workspaceOf({ params }: PageHead, { workspaces, secretOfProvider }: Services): Workspace {
  const workspace = workspaces.find(params.workspace ?? '')
  if (!workspace || secretOfProvider === undefined) throw notFound('Not found')
  return workspace
}

/** Throws 403 unless the provider has signed the request to this URL. */
function checkSignature({ form, headers }: PageRequest, url: string, { secretOfProvider }: Services): void {
  const given = headers[signatureHeader]
  if (!isSigned(url, form, secretOfProvider!, typeof given === 'string' ? given : undefined)) {
    throw forbidden('The signature is not valid')
  }
}

async function takeStatus(request: PageRequest, services: Services): Promise<PageReply> {
  const { publicUrl, db, secret } = services
  const workspace = workspaceOf(request, services)
  const token = request.query.m?.[0] ?? ''
  checkSignature(request, statusUrlOf(publicUrl, workspace.id, token), services)
  const target = parseToken(token, 'message', secret)
  const text = target && (await findSentText(db, target))
  if (!text || text.workspace_id !== workspace.workspace_id) return nothingToSay
  const status = field(request, 'MessageStatus')
  if (status === 'delivered') await services.recordDelivered(text)
  if (failedStatuses.has(status) && text.address !== null) {
    const code = Number(field(request, 'ErrorCode')) || 0
    const { workspace_id, address, bucket, message_id } = text
    const detail = [status, code || '', field(request, 'ErrorMessage')].join(' ').trim()
    await services.recordBounce({
      ...{ workspace_id, address, kind: bounceOfCode(code), detail },
      message: { bucket, message_id },
    })
    if (code === leftCode) {
      await services.once(workspace_id, `sms left ${message_id}`, () => leave(request, workspace, address, services))
    }
  }
  return nothingToSay
}

/** Takes a text of a person: STOP and START change group states, and HELP is answered. Any other text has no effect. */
async function takeInbound(request: PageRequest, services: Services): Promise<PageReply> {
  const { publicUrl, once } = services
  const workspace = workspaceOf(request, services)
  checkSignature(request, `${publicUrl}/webhooks/sms/${encodeURIComponent(workspace.id)}/inbound`, services)
  const keyword = keywordOf(field(request, 'OptOutType') || field(request, 'Body'))
  const phone = toE164(field(request, 'From'))
  if (keyword === undefined || phone === undefined) return nothingToSay
  if (keyword !== 'help') {
    const id = field(request, 'MessageSid')
    if (id === '') throw invalid('MessageSid is missing')
    const change = keyword === 'stop' ? leave : comeBack
    // A repeated request must not undo what the person has asked for since.
    await once(workspace.workspace_id, `sms ${id}`, () => change(request, workspace, phone, services))
  }
  // A provider that has recognised the word has answered it.
  return field(request, 'OptOutType') === '' ? answered(replyOf(workspace, keyword)) : nothingToSay
}

/** Unsubscribes a number from the groups that a request of the provider is about. */
function leave(request: PageRequest, workspace: Workspace, phone: string, services: Services): Promise<void> {
  return setStates(workspace, phone, groupsIn(request, workspace), 'unsubscribed', services)
}

/**
 * Subscribes a number to the group that a request of the provider is about. When several groups share the sender, the number returns to
 * those that it has left: nobody has asked for the others.
 */
async function comeBack(request: PageRequest, workspace: Workspace, phone: string, services: Services): Promise<void> {
  const groups = groupsIn(request, workspace)
  const key = { ...hashedPhone(workspace.workspace_id, phone, services.hashAddress), kind: 'phone' } as const
  const wanted = groups.length === 1 ? groups : await listLeftGroups(services.db, key, groups)
  return setStates(workspace, phone, wanted, 'subscribed', services)
}

async function setStates(
  { workspace_id }: Workspace,
  value: string,
  groups: readonly number[],
  state: 'subscribed' | 'unsubscribed',
  services: Services,
): Promise<void> {
  if (groups.length === 0) return
  const addresses = groups.map((group_id) => ({ kind: 'phone', value, group_id, state, after: 0 }) as const)
  await services.applyStates(workspace_id, { attributes: [], addresses }, false)
}

/** Returns the groups that a request of the provider is about. */
function groupsIn(request: PageRequest, workspace: Workspace): number[] {
  // A text of a person goes to the sender, and a report is about a text that came from it.
  return groupsOf(
    workspace,
    ['To', 'From', 'MessagingServiceSid'].map((name) => field(request, name)),
  )
}

/** Returns the groups whose texts come from one of these senders, or all groups for texts when no group has a sender of its own. */
function groupsOf({ groups, settings }: Workspace, senders: readonly string[]): number[] {
  const { from_by_group = {} } = settings.sms
  const all = [...groups.values()].filter(({ channel, archived }) => channel === 'sms' && !archived)
  const own = all.filter(({ id }) => Object.hasOwn(from_by_group, id) && senders.includes(from_by_group[id]!))
  return (own.length > 0 ? own : all).map(({ group_id }) => group_id)
}

function replyOf({ settings }: Workspace, keyword: Keyword): string {
  const { stop_reply, start_reply, help_reply } = settings.sms
  return { stop: stop_reply, start: start_reply, help: help_reply }[keyword] ?? defaultReplies[keyword]
}

function field({ form }: PageRequest, name: string): string {
  return form[name]?.[0] ?? ''
}

function xml(body: string): PageReply {
  const headers = { 'Content-Type': 'text/xml; charset=utf-8' }
  return { status: 200, headers, body: `<?xml version="1.0" encoding="UTF-8"?><Response>${body}</Response>` }
}

const nothingToSay = xml('')

function answered(text: string): PageReply {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return xml(`<Message>${escaped}</Message>`)
}
