import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { byBucketAndHash, hashedAddress, suppress } from '../../people/addresses/suppress.ts'
import { countSoftBounces, deleteSoftBounces } from '../../people/addresses/suppression-store.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { BounceKind } from '../mail/bounce-kind.ts'
import { type MarkedMessage, markBounced } from '../messages/feedback-store.ts'
import type { MessageKey } from '../messages/message.ts'
import { makeBouncedDue } from '../statuses/status-store.ts'
import { countFeedback } from './count-feedback.ts'
import { findDeliveredBetween } from './message-feedback-store.ts'

/** The number of soft bounces in a row that suppress an address. */
export const softBouncesMax = 5

/** A mail was returned or refused. */
export type Bounce = {
  readonly workspace_id: number
  /** The normalised address of the recipient. */
  readonly address: string
  readonly kind: BounceKind
  readonly detail: string
  /** The message. If a provider reports an address alone, it is absent, and a repeated report is not recognised. */
  readonly message?: MessageKey
  /** When it happened, epoch microseconds; now if absent. A soft bounce counts if it is later than the last one. */
  readonly occurredUs?: number
  /** Nobody has the address, so only its hash is stored. */
  readonly hidden?: boolean
}

export type BounceServices = { readonly clock: Pick<Clock, 'stamp' | 'elapsed'>; readonly hashAddress: HashAddress }

/**
 * Records bounces: marks the messages, whose decisions stay, and suppresses the address after a hard bounce or `softBouncesMax` soft ones
 * in a row. A second bounce of a message changes nothing.
 */
export async function recordBounces(
  tx: Tx,
  bounces: readonly Bounce[],
  { clock, hashAddress }: BounceServices,
): Promise<void> {
  if (bounces.length === 0) return
  const stampUs = clock.stamp()
  const marked = await markBounced(
    tx,
    bounces.flatMap(({ message, kind, detail }) => (message ? [{ ...message, kind, detail }] : [])),
    stampUs,
  )
  await countFeedback(tx, marked, 'bounces', stampUs)
  await tellBounces(tx, marked, clock.elapsed())
  const markedIds = new Set(marked.map(({ message_id }) => message_id))
  const newBounces = bounces.filter(({ message }) => message === undefined || markedIds.has(message.message_id))
  const hard = newBounces.filter(({ kind }) => kind === 'hard')
  const repeated = await countSoft(tx, newBounces, stampUs, hashAddress)
  const suppressed = [
    ...hard.map((bounce) => ({ ...bounce, told: bounce.detail, reason: 'hard_bounce' as const, stampUs })),
    ...repeated.map((bounce) => ({ ...bounce, told: bounce.detail, reason: 'soft_bounces' as const, stampUs })),
  ]
  await suppress(tx, suppressed, hashAddress)
}

/** Makes statuses of transactional sends due. Mail that the server refused is aborted, which is told anyway. */
function tellBounces(tx: Tx, marked: readonly MarkedMessage[], elapsedMs: number): Promise<void> {
  const returned = marked.filter((message) => message.class === 'transactional' && message.state === 'accepted')
  return makeBouncedDue(tx, returned, elapsedMs)
}

/** Records that mail arrived at these addresses, which ends their series of soft bounces. */
export async function recordDelivered(
  tx: Tx,
  addresses: readonly { readonly workspace_id: number; readonly address: string }[],
  { hashAddress }: Pick<BounceServices, 'hashAddress'>,
): Promise<void> {
  const hashed = addresses.map(({ workspace_id, address }) => hashedAddress(workspace_id, address, hashAddress))
  await deleteSoftBounces(tx, hashed.sort(byBucketAndHash))
}

/** Counts soft bounces. Returns those that complete a series. */
async function countSoft(
  tx: Tx,
  bounces: readonly Bounce[],
  stampUs: number,
  hashAddress: HashAddress,
): Promise<Bounce[]> {
  const soft = bounces.filter(({ kind }) => kind === 'soft')
  if (soft.length === 0) return []
  const hashed = soft.map((bounce) => ({
    bounce,
    ...hashedAddress(bounce.workspace_id, bounce.address, hashAddress),
    stampUs: bounce.occurredUs ?? stampUs,
  }))
  const byAddress = [...new Map(hashed.map((each) => [each.value, each])).values()].sort(byBucketAndHash)
  const arrived = await findDeliveredBetween(
    tx,
    byAddress.flatMap(({ bounce: { message }, bucket, value }) => {
      return message ? [{ ...message, hidden: { bucket, value } }] : []
    }),
  )
  const counted = byAddress.map((each) => ({ ...each, restarts: arrived.has(each.bounce.message?.message_id ?? '') }))
  const completed = await countSoftBounces(tx, counted, softBouncesMax)
  return byAddress.filter(({ value }) => completed.has(value)).map(({ bounce }) => bounce)
}
