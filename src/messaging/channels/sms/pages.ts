import { forbidden, invalid, notFound } from '../../../base/errors.ts'
import type { Page, PageHead, PageReply, PageRequest } from '../../../base/http/page.ts'
import { hashedPhone } from '../../../people/addresses/mark-invalid-phones.ts'
import { parseToken } from '../../../people/addresses/message-token.ts'
import { groupOf } from '../../../people/confirmations/group-of.ts'
import { toE164 } from '../../../people/identity/identifier.ts'
import { listGroupsInState } from '../../../people/subscription/address-state-store.ts'
import { activeDoubleOptIn } from '../../../workspace/settings/double-opt-in.ts'
import type { Workspace } from '../../../workspace/settings/workspaces.ts'
import type { ChannelPageServices } from '../channel.ts'
import { confirmationWord, confirmedReply, type Replied } from './confirmation-text.ts'
import { defaultReplies, type Keyword, keywordOf, wordOf } from './keywords.ts'
import { bounceOfCode, leftCode } from './outcome.ts'
import { statusUrlOf } from './prepare-texts.ts'
import { providerOf } from './provider.ts'
import { senderOf } from './sender.ts'
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

/**
 * Takes a text of a person: the keyword of a group confirms, STOP and START change group states, and HELP is answered. Any other text
 * has no effect.
 */
async function takeInbound(request: PageRequest, services: Services): Promise<PageReply> {
  const { publicUrl, once } = services
  const workspace = workspaceOf(request, services)
  checkSignature(request, `${publicUrl}/webhooks/sms/${encodeURIComponent(workspace.id)}/inbound`, services)
  const keyword = keywordOf(field(request, 'OptOutType') || field(request, 'Body'))
  const phone = toE164(field(request, 'From'))
  if (phone === undefined) return nothingToSay
  if (keyword !== 'stop' && keyword !== 'help') {
    const taken = await takeConfirmation(request, workspace, phone, services)
    if (taken) return taken
  }
  if (keyword === undefined) return nothingToSay
  if (keyword !== 'help') {
    const change = keyword === 'stop' ? leave : comeBack
    // A repeated request must not undo what the person has asked for since.
    await once(workspace.workspace_id, `sms ${messageSid(request)}`, () => change(request, workspace, phone, services))
  }
  return answered(request, replyOf(workspace, keyword))
}

/**
 * Confirms what a number was asked to confirm with the word that it replies. When nothing waits, the answer is that of HELP. Returns
 * undefined when the word confirms no group of the sender.
 */
async function takeConfirmation(
  request: PageRequest,
  workspace: Workspace,
  phone: string,
  services: Services,
): Promise<PageReply | undefined> {
  const word = wordOf(field(request, 'Body'))
  if (word === '') return undefined
  const { workspace_id } = workspace
  const number = { workspace_id, phone, group_ids: askingGroupsIn(request, workspace) }
  const isKeyword = [...workspace.groups.values()].some((group) => {
    const optIn = number.group_ids.includes(group.group_id) ? activeDoubleOptIn(group) : undefined
    return optIn !== undefined && confirmationWord(optIn) === word
  })
  if (!isKeyword && (await services.listPendingReplies(number, word)).length === 0) return undefined
  // A repeated request must not confirm what the person was asked since.
  await services.once(workspace_id, `sms ${messageSid(request)}`, () => services.confirmByReply(number, word))
  const replied = (await services.listLastReplied(number, word)).flatMap(({ group_id, language }): Replied[] => {
    const group = groupOf(workspace, group_id)
    return group ? [{ ...group, language }] : []
  })
  const [first, ...others] = replied
  return answered(request, first ? confirmedReply([first, ...others]) : replyOf(workspace, 'help'))
}

/** Returns the id of a text of a person. Throws 400 when it is missing. */
function messageSid(request: PageRequest): string {
  const id = field(request, 'MessageSid')
  if (id === '') throw invalid('MessageSid is missing')
  return id
}

/** Unsubscribes a number from the groups that a request of the provider is about, and withdraws what it was asked to confirm. */
async function leave(request: PageRequest, workspace: Workspace, phone: string, services: Services): Promise<void> {
  const group_ids = groupsIn(request, workspace)
  await services.withdrawByReply({ workspace_id: workspace.workspace_id, phone, group_ids })
  return setStates(workspace, phone, group_ids, 'unsubscribed', services)
}

/**
 * Subscribes a number to the group that a request of the provider is about. When several groups share the sender, the number returns to
 * those that it has left: nobody has asked for the others.
 */
async function comeBack(request: PageRequest, workspace: Workspace, phone: string, services: Services): Promise<void> {
  const groups = groupsIn(request, workspace)
  const key = { ...hashedPhone(workspace.workspace_id, phone, services.hashAddress), kind: 'phone' } as const
  const wanted = groups.length === 1 ? groups : await listGroupsInState(services.db, key, groups, 'unsubscribed')
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
  return groupsOf(workspace, sendersIn(request))
}

/** A text of a person goes to the sender, and a report is about a text that came from it. */
function sendersIn(request: PageRequest): string[] {
  return ['To', 'From', 'MessagingServiceSid'].map((name) => field(request, name))
}

/** Returns the groups whose questions come from the sender that a person has replied to. */
function askingGroupsIn(request: PageRequest, workspace: Workspace): number[] {
  const senders = sendersIn(request)
  const { settings } = workspace
  const all = textGroupsOf(workspace)
  const asking = all.filter(({ id }) => senders.includes(senderOf(settings, id) ?? ''))
  // Of a sender that the settings do not name, such as an earlier one: the groups that have none of their own.
  const others = all.filter(({ id }) => !Object.hasOwn(settings.sms.from_by_group ?? {}, id))
  return (asking.length > 0 ? asking : others).map(({ group_id }) => group_id)
}

function textGroupsOf({ groups }: Workspace) {
  return [...groups.values()].filter(({ channel, archived }) => channel === 'sms' && !archived)
}

/** Returns the groups whose texts come from one of these senders, or all groups for texts when no group has a sender of its own. */
function groupsOf(workspace: Workspace, senders: readonly string[]): number[] {
  const { from_by_group = {} } = workspace.settings.sms
  const all = textGroupsOf(workspace)
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

/** A provider that has recognised the word has answered it. */
function answered(request: PageRequest, text: string): PageReply {
  if (field(request, 'OptOutType') !== '') return nothingToSay
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return xml(`<Message>${escaped}</Message>`)
}
