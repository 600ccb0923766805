import type { Clock } from '../../base/clock.ts'
import type { Db } from '../../base/db/db.ts'
import { setEmailStates } from '../../people/addresses/email-status.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { findHeld } from '../../people/identity/contact-store.ts'
import { identifierOrThrow, readEmail } from '../../people/identity/identifier.ts'
import { bucketsOf, type HashAddress } from '../../people/identity/person.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { email } from '../channels/email/channel.ts'
import type { BounceKind } from '../messages/transport-outcome.ts'
import { findSentMessage, type SentMessage } from './message-feedback-store.ts'
import { recordArrival } from './record-arrival.ts'
import { recordBounces, recordDelivered } from './record-bounces.ts'
import { recordComplaint } from './record-complaints.ts'
import { unsubscribe } from './unsubscribe.ts'

/** Feedback on a mail that we sent: returned mail, or an event of a provider. */
export type MailFeedback = {
  /** The message, if a token for it was found. */
  readonly target?: TokenTarget | undefined
  /** The address of the recipient, as the provider or mail server writes it. */
  readonly address?: string | undefined
  readonly detail: string
  /** When it happened, epoch microseconds by the clock of the provider. */
  readonly occurredUs?: number | undefined
} & (
  | { readonly verb: 'bounced'; readonly kind: BounceKind }
  | { readonly verb: 'complained' | 'delivered' | 'unsubscribed' }
)

export type FeedbackServices = {
  readonly db: Db
  readonly clock: Clock
  readonly hashAddress: HashAddress
  /** For the BCC addresses in the settings: feedback on a copy says nothing about the recipient. */
  readonly workspaces: Pick<Workspaces, 'get'>
}

/** The address that feedback is about, and the message if it still exists. */
type FeedbackSubject = {
  readonly workspace_id: number
  readonly address: string
  readonly message?: SentMessage
  readonly hidden: boolean
}

/**
 * Records feedback durably. `workspace_id` is the workspace whose webhook was called: feedback on a message of another workspace is
 * ignored, and feedback without a message applies to the address in this workspace. Returns whether a message or an address was found.
 */
export async function recordFeedback(
  feedback: MailFeedback,
  services: FeedbackServices,
  workspace_id?: number,
): Promise<boolean> {
  const { db, clock, hashAddress } = services
  const found = await findSubject(feedback, services, workspace_id)
  if (found === undefined) return false
  const { message, ...subject } = found
  const { detail, occurredUs } = feedback
  const stateServices = { db, clock, workspace_id: subject.workspace_id }
  switch (feedback.verb) {
    case 'bounced': {
      const bounce = {
        ...subject,
        kind: feedback.kind,
        detail,
        ...(message ? { message } : occurredUs !== undefined && { occurredUs }),
      }
      await db.transaction((tx) => recordBounces(tx, email, [bounce], services))
      return true
    }
    case 'complained':
      await recordComplaint(stateServices, { ...subject, detail, ...(message && { message }) }, hashAddress)
      return true
    case 'delivered':
      await db.transaction(async (tx) => {
        await recordDelivered(tx, [subject], services)
        if (message) await recordArrival(tx, message, clock)
      })
      return true
    case 'unsubscribed':
      if (message) await unsubscribe(db, services, message)
      else await setEmailStates(stateServices, [subject.address], 'unsubscribed', hashAddress)
      return true
  }
}

async function findSubject(
  { target, address: given }: MailFeedback,
  { db, workspaces }: FeedbackServices,
  webhookWorkspace: number | undefined,
): Promise<FeedbackSubject | undefined> {
  const address = given === undefined ? undefined : normalise(given)
  const message = target && (await findSentMessage(db, target))
  if (message) {
    const { workspace_id } = message
    if (webhookWorkspace !== undefined && webhookWorkspace !== workspace_id) return undefined
    const own = message.address === null ? undefined : normalise(message.address)
    const copies = workspaces.get(workspace_id).settings.bcc.map(normalise)
    if (address !== undefined && address !== own && copies.includes(address)) return undefined
    return own === undefined ? undefined : { workspace_id, address: own, message, hidden: false }
  }
  if (webhookWorkspace === undefined || address === undefined) return undefined
  const { bucket } = bucketsOf(webhookWorkspace, 'email', address)
  const held = await findHeld(db, [{ bucket, workspace_id: webhookWorkspace, kind: 'email', value: address }])
  return { workspace_id: webhookWorkspace, address, hidden: held.size === 0 }
}

/** Normalises an address, which may have a display name. Returns undefined if it is not valid. */
function normalise(text: string): string | undefined {
  const read = readEmail(/<([^<>]*)>\s*$/.exec(text)?.[1] ?? text.trim())
  return typeof read === 'string' ? undefined : identifierOrThrow(read).value
}
