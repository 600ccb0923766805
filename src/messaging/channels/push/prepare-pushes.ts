import { createHmac } from 'node:crypto'
import { hasLiquid } from '../../mail/read-text.ts'
import {
  failed,
  type MessageToPrepare,
  type NotPrepared,
  type PreparedMessage,
} from '../../messages/prepared-message.ts'
import type { TrialMistake } from '../channel.ts'
import { type RenderingServices, renderMessageTexts } from '../render-texts.ts'
import { shortened } from '../shortened.ts'
import { renderedMembers } from './content.ts'
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

/** Bytes of the largest push with what belongs to it, and its copies for devices. */
export const pushBytesMax = 4_096 * (devicesMax + 1)
/** Characters of each rendered text. */
export const charactersMax = 4_096
const extraPrefix = 'extra.'

/** Renders pushes of one content, in their order. */
export async function preparePushes(
  name: PushName,
  services: RenderingServices,
  batch: readonly PushToPrepare[],
): Promise<(PreparedPush | NotPrepared)[]> {
  const { workspace_id, content } = batch[0]!
  const workspace = services.workspaces.get(workspace_id)
  const rendered = await renderMessageTexts(services, workspace, batch, { texts: liquidTexts(content), charactersMax })
  return batch.map((message, i): PreparedPush | NotPrepared => {
    const own = rendered[i]!
    if ('reason' in own) return own
    const push = withTexts(content, own.texts)
    const mistake = mistakeOf(name, push)
    if (mistake) return failed(mistake.mistake, { text: mistake.text })
    return preparedPush(push, message, message.class === 'transactional', services.secret)
  })
}

/** Returns a push that is ready, for the person of a message. */
export function preparedPush(
  push: PushMessage,
  message: Pick<PushToPrepare, 'bucket' | 'profile_id' | 'workspace_id' | 'message_id'>,
  isUrgent: boolean,
  secret: Buffer,
): PreparedPush {
  const { bucket, profile_id, workspace_id, message_id } = message
  return {
    ...{ bucket, profile_id, workspace_id, message_id, push, links: [], warnings: [], bytes: pushBytesMax },
    ...{ tag: tagOf(message_id, secret), isUrgent, subject: shortened(push.title ?? push.alert) },
  }
}

/** Returns the name under which a device knows a push: nobody else can make it, and it says nothing. */
function tagOf(message_id: string, secret: Buffer): string {
  return createHmac('sha256', secret).update(`push ${message_id}`).digest('base64url').slice(0, tagLength)
}

/** Returns the texts of a push by name, those of `extra` with a prefix. */
export function textsOf(content: PushMessage): [string, string][] {
  const own = renderedMembers.map((member) => [member, content[member]] as const)
  const extra = Object.entries(content.extra ?? {}).map(([member, value]) => [extraPrefix + member, value] as const)
  return [...own, ...extra].filter((each): each is [string, string] => typeof each[1] === 'string')
}

function liquidTexts(content: PushMessage): Record<string, string> {
  return Object.fromEntries(textsOf(content).filter(([, text]) => hasLiquid(text)))
}

/** Returns a push with its rendered texts. */
export function withTexts(content: PushMessage, texts: Readonly<Record<string, string>>): PushMessage {
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
export function mistakeOf(name: PushName, push: PushMessage): TrialMistake | undefined {
  if (push.alert.trim() === '') return { text: 'alert', mistake: 'alert is empty' }
  const { custom_uri } = push
  if (custom_uri !== undefined && !isOpenable(custom_uri))
    return { text: 'custom_uri', mistake: `custom_uri ${uriRule}` }
  const tooLong = payloadMistake(name, push, true)
  return tooLong === undefined ? undefined : { text: 'alert', mistake: `it ${tooLong}` }
}
