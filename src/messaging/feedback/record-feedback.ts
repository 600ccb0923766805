import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { setEmailStates } from '../../people/addresses/email-status.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { findHeld } from '../../people/identity/contact-store.ts'
import { identifierOrThrow, readEmail } from '../../people/identity/identifier.ts'
import { bucketsOf, type HashAddress } from '../../people/identity/person.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import type { BounceKind } from '../mail/bounce-kind.ts'
import { findSentMessage, type SentMessage } from './message-feedback-store.ts'
import { recordBounces, recordDelivered } from './record-bounces.ts'
import { recordComplaint } from './record-complaints.ts'
import { unsubscribe } from './unsubscribe.ts'

/** What somebody outside tells of a mail of ours: a mail that came back, or an event of a provider. */
export type MailFeedback = {
  /** The message, where one of our own tokens tells it. */
  readonly named?: TokenTarget | undefined
  /** Whom it was sent to, as the other side writes it. */
  readonly address?: string | undefined
  readonly detail: string
  /** When it happened by the other side's clock, epoch microseconds. */
  readonly occurredUs?: number | undefined
} & (
  | { readonly verb: 'bounced'; readonly kind: BounceKind }
  | { readonly verb: 'complained' | 'delivered' | 'unsubscribed' }
)

export type FeedbackServices = {
  readonly db: Db
  readonly clock: Clock
  readonly hashAddress: HashAddress
  /** For the addresses that get copies of all mail (`settings.bcc`): what happens to a copy says nothing of the person. */
  readonly workspaces: Pick<Workspaces, 'get'>
}

/** Where a notice leads: whose address it is about, and the message if there still is one. */
type FeedbackTarget = {
  readonly workspace_id: number
  readonly address: string
  readonly message?: SentMessage
  readonly hidden: boolean
}

/**
 * Takes a notice: durable when it resolves. `workspace_id` is that of the door it came through; a message of another workspace is not
 * its business, and without a message the address counts in that workspace alone. Answers whether it was about anybody.
 */
export async function recordFeedback(
  notice: MailFeedback,
  parts: FeedbackServices,
  workspace_id?: number,
): Promise<boolean> {
  const { db, clock, hashAddress } = parts
  const target = await findTarget(notice, parts, workspace_id)
  if (target === undefined) return false
  const { message, ...about } = target
  const { detail, occurredUs } = notice
  const saying = { db, clock, workspace_id: about.workspace_id }
  switch (notice.verb) {
    case 'bounced': {
      const bounce = {
        ...about,
        kind: notice.kind,
        detail,
        ...(message ? { message } : occurredUs !== undefined && { occurredUs }),
      }
      await db.transaction((tx) => recordBounces(tx, [bounce], parts))
      return true
    }
    case 'complained':
      await recordComplaint(saying, { ...about, detail, ...(message && { message }) }, hashAddress)
      return true
    case 'delivered':
      await db.transaction((tx) => recordDelivered(tx, [about], parts))
      return true
    case 'unsubscribed':
      if (message) await unsubscribe(db, parts, message)
      else await setEmailStates(saying, [about.address], 'unsubscribed', hashAddress)
      return true
  }
}

async function findTarget(
  { named, address: given }: MailFeedback,
  { db, workspaces }: FeedbackServices,
  door: number | undefined,
): Promise<FeedbackTarget | undefined> {
  const address = given === undefined ? undefined : normalisedOr(given)
  const message = named && (await findSentMessage(db, named))
  if (message) {
    const { workspace_id } = message
    if (door !== undefined && door !== workspace_id) return undefined
    const own = message.address === null ? undefined : normalisedOr(message.address)
    const copies = workspaces.get(workspace_id).settings.bcc.map(normalisedOr)
    if (address !== undefined && address !== own && copies.includes(address)) return undefined
    return own === undefined ? undefined : { workspace_id, address: own, message, hidden: false }
  }
  if (door === undefined || address === undefined) return undefined
  const { bucket } = bucketsOf(door, 'email', address)
  const held = await findHeld(db, [{ bucket, workspace_id: door, kind: 'email', value: address }])
  return { workspace_id: door, address, hidden: held.size === 0 }
}

/** The address as people have it, in a text that may name somebody too; undefined when nobody can have it. */
function normalisedOr(text: string): string | undefined {
  const read = readEmail(/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim())
  return typeof read === 'string' ? undefined : identifierOrThrow(read).value
}
