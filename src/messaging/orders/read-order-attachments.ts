import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Notices } from '../../base/http/notices.ts'
import type { MessageFile } from '../channels/channel.ts'
import { channelOf } from '../channels/channels.ts'
import type { FlowKind, Graph } from '../flows/flow.ts'
import { checkCredentials } from '../mail/credentials-config-section.ts'
import type { LostMember } from '../mail/lost-members.ts'
import { readAttachments } from '../mail/read-attachments.ts'
import { isPresent, type RequestBody } from './read-body.ts'
import { triggerRules } from './trigger-rules.ts'
import { attachmentsNotSent, attachmentsOfBroadcast } from './trigger-schema.ts'

/** The files that an order adds to the mails of a campaign. `warnings` are sentences without a period. */
export type OrderAttachments = {
  readonly attachments?: readonly MessageFile[]
  readonly warnings: readonly string[]
}

/**
 * Reads the attachments of an order by the rules of the e-mail object. Throws 400, also where they are not sent: ignoring them would send a
 * mail without its file.
 */
export function readOrderAttachments(
  { attachments: given }: RequestBody,
  { kind, broadcast }: { readonly kind: FlowKind; readonly broadcast: boolean },
  filesMax: number,
  notices: Notices,
): OrderAttachments {
  const isEmpty = given === '' || (Array.isArray(given) && given.length === 0)
  if (!isPresent(given) || isEmpty) return { warnings: [] }
  if (!triggerRules[kind].sendsAttachments) throw invalid(attachmentsNotSent)
  if (broadcast) throw invalid(attachmentsOfBroadcast)
  const warnings: string[] = []
  const lost: LostMember[] = []
  const attachments = readAttachments(given, 'attachments', filesMax, { warnings, lost })!
  for (const { member, reason } of lost) notices.add(member, reason)
  return { attachments, warnings }
}

/** Checks that the credentials exist, and that no mail gets too many files. Throws 400. */
export async function checkOrderAttachments(
  tx: Tx,
  workspace_id: number,
  attachments: readonly MessageFile[] | undefined,
  { steps }: Graph,
  filesMax: number,
): Promise<void> {
  if (!attachments) return
  const files = [...steps.values()].map((step) => {
    return step.type === 'message' ? (channelOf(step.channel).content.filesOf?.(step.content) ?? 0) : 0
  })
  const own = Math.max(0, ...files)
  if (own + attachments.length > filesMax) {
    const room = Math.max(filesMax - own, 0)
    throw invalid(
      `attachments must have at most ${room} files: the campaign has ${own} of ${filesMax} (settings.attachments_max)`,
    )
  }
  await checkCredentials(tx, workspace_id, attachments, 'attachments')
}
