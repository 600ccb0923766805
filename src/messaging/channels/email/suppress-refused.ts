import type { Tx } from '../../../base/db/db.ts'
import { byBucketAndHash, hashedAddress, suppress } from '../../../people/addresses/suppress.ts'
import { countSoftBounces } from '../../../people/addresses/suppression-store.ts'
import type { HashAddress } from '../../../people/identity/person.ts'
import type { RefusedAddress, RefusedServices } from '../channel.ts'
import { findDeliveredBetween } from './delivered-store.ts'

/** The number of soft bounces in a row that suppress an address. */
export const softBouncesMax = 5

/** Suppresses addresses after a hard bounce or `softBouncesMax` soft ones in a row. */
export async function suppressRefused(
  tx: Tx,
  refused: readonly RefusedAddress[],
  { stampUs, hashAddress }: RefusedServices,
): Promise<void> {
  const hard = refused.filter(({ kind }) => kind === 'hard')
  const repeated = await countSoft(tx, refused, stampUs, hashAddress)
  const suppressed = [
    ...hard.map((bounce) => ({ ...bounce, told: bounce.detail, reason: 'hard_bounce' as const, stampUs })),
    ...repeated.map((bounce) => ({ ...bounce, told: bounce.detail, reason: 'soft_bounces' as const, stampUs })),
  ]
  await suppress(tx, suppressed, hashAddress)
}

/** Counts soft bounces. Returns those that complete a series. */
async function countSoft(
  tx: Tx,
  bounces: readonly RefusedAddress[],
  stampUs: number,
  hashAddress: HashAddress,
): Promise<RefusedAddress[]> {
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
    byAddress.flatMap(({ bounce: { message, workspace_id }, bucket, value }) => {
      return message ? [{ ...message, hidden: { bucket, workspace_id, value } }] : []
    }),
  )
  const counted = byAddress.map((each) => ({ ...each, restarts: arrived.has(each.bounce.message?.message_id ?? '') }))
  const completed = await countSoftBounces(tx, counted, softBouncesMax)
  return byAddress.filter(({ value }) => completed.has(value)).map(({ bounce }) => bounce)
}
