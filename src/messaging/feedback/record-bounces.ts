import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { byBucketAndHash, hashedAddress, suppress } from '../../people/addresses/suppress.ts'
import { countSoftBounces, deleteSoftBounces } from '../../people/addresses/suppression-store.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { BounceKind } from '../mail/bounce-kind.ts'
import { markBounced } from '../messages/feedback-store.ts'
import type { MessageKey } from '../messages/message.ts'
import { findDeliveredBetween } from './message-feedback-store.ts'

/** Soft bounces of one address in a row after which it is not written to any more. */
export const softBouncesMax = 5

/** That a mail came back, or was refused. */
export type Bounce = {
  readonly workspace_id: number
  /** Where it was sent to, normalised. */
  readonly address: string
  readonly kind: BounceKind
  readonly detail: string
  /** Where the message is. Without one (a provider told of an address alone) nobody knows whether this has been told before. */
  readonly message?: MessageKey
  /** When it was seen by whoever tells it, epoch microseconds; now when absent. A soft one counts when it is later than the last. */
  readonly occurredUs?: number
  /** Nobody here has the address: only its hash is kept. */
  readonly hidden?: boolean
}

export type BounceServices = { readonly clock: Pick<Clock, 'stamp'>; readonly hashAddress: HashAddress }

/**
 * Notes what came back: the fact on the message, whose decision stays; a hard bounce suppresses the address, so does
 * the fifth soft one in a row. A message that bounced before changes nothing more.
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
    bounces.flatMap(({ message }) => message ?? []),
    stampUs,
  )
  const fresh = bounces.filter(({ message }) => message === undefined || marked.has(message.message_id))
  const hard = fresh.filter(({ kind }) => kind === 'hard')
  const worn = await countSoft(tx, fresh, stampUs, hashAddress)
  const suppressed = [
    ...hard.map((bounce) => ({ ...bounce, told: bounce.detail, reason: 'hard_bounce' as const, stampUs })),
    ...worn.map((bounce) => ({ ...bounce, told: bounce.detail, reason: 'soft_bounces' as const, stampUs })),
  ]
  await suppress(tx, suppressed, hashAddress)
}

/** Mail has arrived at these addresses: their soft bounces are not in a row any more. */
export async function recordDelivered(
  tx: Tx,
  addresses: readonly { readonly workspace_id: number; readonly address: string }[],
  { hashAddress }: Pick<BounceServices, 'hashAddress'>,
): Promise<void> {
  const places = addresses.map(({ workspace_id, address }) => hashedAddress(workspace_id, address, hashAddress))
  await deleteSoftBounces(tx, places.sort(byBucketAndHash))
}

/** Counts the soft ones; answers those after which it is enough. */
async function countSoft(
  tx: Tx,
  bounces: readonly Bounce[],
  stampUs: number,
  hashAddress: HashAddress,
): Promise<Bounce[]> {
  const soft = bounces.filter(({ kind }) => kind === 'soft')
  if (soft.length === 0) return []
  const placed = soft.map((bounce) => ({
    bounce,
    ...hashedAddress(bounce.workspace_id, bounce.address, hashAddress),
    stampUs: bounce.occurredUs ?? stampUs,
  }))
  const once = [...new Map(placed.map((each) => [each.value, each])).values()].sort(byBucketAndHash)
  const arrived = await findDeliveredBetween(
    tx,
    once.flatMap(({ bounce: { message }, bucket, value }) => {
      return message ? [{ ...message, hidden: { bucket, value } }] : []
    }),
  )
  const counted = once.map((each) => ({ ...each, anew: arrived.has(each.bounce.message?.message_id ?? '') }))
  const enough = await countSoftBounces(tx, counted, softBouncesMax)
  return once.filter(({ value }) => enough.has(value)).map(({ bounce }) => bounce)
}
