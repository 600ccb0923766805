import { formatToken } from '../../../people/addresses/message-token.ts'
import type { Workspace } from '../../../workspace/settings/workspaces.ts'
import { hasLiquid } from '../../mail/read-text.ts'
import {
  failed,
  type MessageToPrepare,
  type NotPrepared,
  type PreparedMessage,
} from '../../messages/prepared-message.ts'
import { type RenderingServices, renderMessageTexts } from '../render-texts.ts'
import { shortened } from '../shortened.ts'
import { confirmationFields } from './confirmation-text.ts'
import { lengthMistake, type TextMessage, textCharactersMax } from './content.ts'
import { senderOf } from './sender.ts'

/** A text that is ready for the hand-over. */
export type PreparedText = PreparedMessage & {
  /** In E.164. */
  readonly to: string
  readonly from: string | undefined
  readonly body: string
  /** Where the provider tells what became of the text. */
  readonly statusUrl: string
  /** The same for each attempt to send the message. */
  readonly key: string
  /** The subscription group; undefined when it was deleted since. */
  readonly group_id: number | undefined
}

type TextToPrepare = MessageToPrepare<TextMessage>

/** Bytes of the largest text with what belongs to it. */
export const textBytesMax = 8_192

/** Renders the texts of messages of one content, in their order. `needsSender`: a provider gets them. */
export async function prepareTexts(
  services: RenderingServices,
  batch: readonly TextToPrepare[],
  needsSender: boolean,
): Promise<(PreparedText | NotPrepared)[]> {
  const { workspace_id, content } = batch[0]!
  const workspace = services.workspaces.get(workspace_id)
  const from = content.from ?? senderOf(workspace.settings, content.subscription_group_id)
  if (from === undefined && needsSender) {
    return batch.map(() => failed('it has no sender: settings.sms.from is not set', { text: 'from' }))
  }
  const { body: liquid, app_id, confirmation } = content
  const texts: Readonly<Record<string, string>> = hasLiquid(liquid) ? { body: liquid } : {}
  const fields = confirmation && confirmationFields(confirmation)
  const toRender = { texts, charactersMax: textCharactersMax, app_id, fields }
  const rendered = await renderMessageTexts(services, workspace, batch, toRender)
  return batch.map((message, i): PreparedText | NotPrepared => {
    const own = rendered[i]!
    if ('reason' in own) return own
    const body = (own.texts.body ?? liquid).trim()
    if (body === '') return failed('body is empty', { text: 'body' })
    const tooLong = lengthMistake(body)
    if (tooLong !== undefined) return failed(`body ${tooLong}`, { text: 'body' })
    return { ...preparedOf(services, workspace, message), from, body, subject: shortened(body) }
  })
}

function preparedOf({ publicUrl, secret }: RenderingServices, { id, groups }: Workspace, message: TextToPrepare) {
  const { address, content, ...target } = message
  const token = formatToken(target, 'message', secret)
  return {
    ...{ to: address, links: [], warnings: [], bytes: textBytesMax, key: token },
    group_id: groups.get(content.subscription_group_id)?.group_id,
    statusUrl: statusUrlOf(publicUrl, id, token),
  }
}

export function statusUrlOf(publicUrl: string, workspace: string, token: string): string {
  return `${publicUrl}/webhooks/sms/${encodeURIComponent(workspace)}/status?m=${token}`
}
