import type { Clock } from '../../base/clock.ts'
import type { Tx } from '../../base/db/db.ts'
import { byBucketAndHash, hashedAddress } from '../../people/addresses/suppress.ts'
import { deleteSoftBounces } from '../../people/addresses/suppression-store.ts'
import type { HashAddress } from '../../people/identity/person.ts'
import type { Channel, RefusedAddress } from '../channels/channel.ts'
import { type MarkedMessage, markBounced } from '../messages/feedback-store.ts'
import { makeBouncedDue } from '../statuses/status-store.ts'
import { countFeedback } from './count-feedback.ts'

/** A message of a channel was returned or refused. */
export type Bounce = RefusedAddress

export type BounceServices = { readonly clock: Pick<Clock, 'stamp' | 'elapsed'>; readonly hashAddress: HashAddress }

/**
 * Records bounces of one channel: marks the messages, whose decisions stay, and tells the channel about the addresses. A second bounce of a
 * message changes nothing.
 */
export async function recordBounces(
  tx: Tx,
  channel: Pick<Channel, 'recordRefused'>,
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
  await makeReturnedDue(tx, marked, clock.elapsed())
  const markedIds = new Set(marked.map(({ message_id }) => message_id))
  const newBounces = bounces.filter(({ message }) => message === undefined || markedIds.has(message.message_id))
  await channel.recordRefused(tx, newBounces, { stampUs, hashAddress })
}

/** Makes statuses of transactional sends due. Mail that the server refused is aborted, which is posted anyway. */
function makeReturnedDue(tx: Tx, marked: readonly MarkedMessage[], elapsedMs: number): Promise<void> {
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
