import { createHmac } from 'node:crypto'
import { uuidToHex } from '../../../base/ids.ts'
import type { TemplateVariables } from '../../../content/liquid/variables.ts'
import { loadVariables, optionalVariablesIn } from '../../../content/rendering/variables-store.ts'
import { person } from '../../../people/identity/person.ts'
import type { Workspace } from '../../../workspace/settings/workspaces.ts'
import { hasLiquid } from '../../mail/read-text.ts'
import {
  aborted,
  deleted,
  failed,
  type MessageToPrepare,
  type NotPrepared,
  type PreparedMessage,
} from '../../messages/prepared-message.ts'
import type { PreviewServices } from '../channel.ts'
import { renderedMembers, shortened } from './content.ts'
import { isOpenable, uriRule } from './openable-uri.ts'
import { payloadMistake, tagLength } from './payload.ts'
import { devicesMax, type Extra, type PushMessage, type PushName } from './push-message.ts'

/** A push that is ready for the hand-over. Its devices are found when it is sent. */
export type PreparedPush = PreparedMessage & {
  readonly bucket: number
  readonly profile_id: string
  readonly workspace_id: number
  readonly message_id: string
  readonly push: PushMessage
  /** The same for each attempt to send the message, so that a device shows it once. */
  readonly tag: string
  readonly isUrgent: boolean
}

type PushToPrepare = MessageToPrepare<PushMessage>
export type PushServices = PreviewServices & {
  /** Pushes are only looked at: they ask no other server. */
  readonly isPreview?: boolean
}

/** Bytes of the largest push with what belongs to it, and its copies for devices. */
export const pushBytesMax = 4_096 * (devicesMax + 1)
const charactersMax = 4_096
const extraPrefix = 'extra.'

/** Renders pushes of one content, in their order. */
export async function preparePushes(
  name: PushName,
  services: PushServices,
  batch: readonly PushToPrepare[],
): Promise<(PreparedPush | NotPrepared)[]> {
  const { workspace_id, content } = batch[0]!
  const workspace = services.workspaces.get(workspace_id)
  const rendered = await renderPushes(services, workspace, batch, textsOf(content))
  return batch.map((message, i): PreparedPush | NotPrepared => {
    const texts = rendered[i]!
    if ('reason' in texts) return texts as NotPrepared
    const push = withTexts(content, texts as Readonly<Record<string, string>>)
    const mistake = mistakeOf(name, push)
    if (mistake) return mistake
    const { bucket, profile_id, message_id } = message
    return {
      ...{ bucket, profile_id, workspace_id, message_id, push, links: [], warnings: [], bytes: pushBytesMax },
      ...{ tag: tagOf(message, services.secret), isUrgent: message.class === 'transactional' },
      subject: shortened(push.title ?? push.alert),
    }
  })
}

/** Returns the name under which a device knows a push: nobody else can make it, and it says nothing. */
function tagOf({ message_id }: PushToPrepare, secret: Buffer): string {
  return createHmac('sha256', secret).update(`push ${message_id}`).digest('base64url').slice(0, tagLength)
}

/** Returns the texts of a push that have Liquid, those of `extra` with a prefix. */
function textsOf(content: PushMessage): Record<string, string> {
  const own = renderedMembers.flatMap((member) => {
    const text = content[member]
    return text !== undefined && hasLiquid(text) ? [[member, text] as const] : []
  })
  const extra = Object.entries(content.extra ?? {}).flatMap(([member, value]) =>
    typeof value === 'string' && hasLiquid(value) ? [[extraPrefix + member, value] as const] : [],
  )
  return Object.fromEntries([...own, ...extra])
}

function withTexts(content: PushMessage, texts: Readonly<Record<string, string>>): PushMessage {
  const own: Record<string, string> = {}
  const extra: Record<string, unknown> = { ...content.extra }
  for (const [member, text] of Object.entries(texts)) {
    if (member.startsWith(extraPrefix)) extra[member.slice(extraPrefix.length)] = text
    else own[member] = text.trim()
  }
  const { title, ...rest } = { ...content, ...own, ...(content.extra && { extra: extra as Extra }) }
  // A title that Liquid leaves empty is none.
  return { ...rest, ...(title !== undefined && title !== '' && { title }) }
}

/** Returns why a rendered push cannot be sent. */
function mistakeOf(name: PushName, push: PushMessage): NotPrepared | undefined {
  if (push.alert.trim() === '') return failed('alert is empty', { text: 'alert' })
  const { custom_uri } = push
  if (custom_uri !== undefined && !isOpenable(custom_uri))
    return failed(`custom_uri ${uriRule}`, { text: 'custom_uri' })
  const tooLong = payloadMistake(name, push, true)
  return tooLong === undefined ? undefined : failed(`it ${tooLong}`, { text: 'alert' })
}

type RenderedTexts = Readonly<Record<string, string>> | NotPrepared

async function renderPushes(
  services: PushServices,
  workspace: Workspace,
  batch: readonly PushToPrepare[],
  texts: Readonly<Record<string, string>>,
): Promise<RenderedTexts[]> {
  const names = Object.keys(texts)
  if (names.length === 0) return batch.map(() => ({}))
  const variables = await variablesOf(services, workspace, batch, Object.values(texts))
  const known = batch.flatMap((_, i) => (variables[i] ? [i] : []))
  const rendered = await services.renderer.renderMany(
    texts,
    known.map((i) => variables[i]!),
    {
      workspace_id: workspace.workspace_id,
      nowMs: services.clock.now(),
      limits: Object.fromEntries(names.map((name) => [name, { charactersMax }])),
      kind: services.isPreview ? 'preview' : batch[0]!.class,
      asksNobody: services.isPreview ?? false,
    },
  )
  const all: RenderedTexts[] = batch.map(() => deleted)
  for (const [n, i] of known.entries()) {
    const one = rendered[n]!
    if (one.outcome === 'rendered') all[i] = one.texts
    else if (one.outcome === 'aborted') all[i] = aborted(one.reason)
    else {
      const { outcome: _, message, ...inputs } = one
      all[i] = failed(message, inputs)
    }
  }
  return all
}

/** Returns the variables of each message; undefined for people who were deleted. */
async function variablesOf(
  { db, hashAddress, formatServiceId }: PushServices,
  { workspace_id, groups }: Workspace,
  batch: readonly PushToPrepare[],
  texts: readonly string[],
): Promise<(TemplateVariables | undefined)[]> {
  const people = batch.map(({ bucket, profile_id }) => person(bucket, profile_id))
  const wanted = optionalVariablesIn(texts)
  const found = await loadVariables(db, workspace_id, people, wanted, { groups, hashAddress, formatServiceId })
  return batch.map(({ profile_id, dispatch_id, about }) => {
    const own = found.get(profile_id)
    return own && { ...own, campaign: { dispatch_id: uuidToHex(dispatch_id) }, ...about }
  })
}
