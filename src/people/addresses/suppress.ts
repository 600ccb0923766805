import type { Tx } from '../../base/db/db.ts'
import { bucketsOf, type HashAddress } from '../identity/person.ts'
import { deleteSuppressions, insertSuppressions, type SuppressionReason } from './suppression-store.ts'

/** That nothing more is sent to an address of a workspace. */
export type NewSuppression = {
  readonly workspace_id: number
  /** Normalised, as people have it. */
  readonly address: string
  readonly reason: SuppressionReason
  /** What the server, the provider or the operator said; cut to `toldCharactersMax`. */
  readonly told: string | null
  /** Epoch microseconds. */
  readonly stampUs: number
  /** The address itself is not kept, only its hash: nobody here has it. */
  readonly hidden?: boolean
}

export const toldCharactersMax = 500

/** An address and the place of what is kept of it. */
export type HashedAddress = { readonly bucket: number; readonly workspace_id: number; readonly value: string }

/** Where what is known of an address itself is kept: under its keyed hash, in the bucket of the plain address. */
export function hashedAddress(workspace_id: number, address: string, hashAddress: HashAddress): HashedAddress {
  const { bucket } = bucketsOf(workspace_id, 'email', address)
  return { bucket, workspace_id, value: hashAddress(workspace_id, 'email', address) }
}

/** The order in which rows of addresses are written, everywhere. */
export function byBucketAndHash(a: HashedAddress, b: HashedAddress): number {
  return a.bucket - b.bucket || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0)
}

/** Takes addresses out of what is sent to. One that is out for the same reason already stays as it was, time included. */
export async function suppress(tx: Tx, entries: readonly NewSuppression[], hashAddress: HashAddress): Promise<void> {
  const rows = entries.map(({ workspace_id, address, reason, told, stampUs, hidden }) => ({
    ...hashedAddress(workspace_id, address, hashAddress),
    reason,
    address: hidden ? null : address,
    told: told === null ? null : cleaned(told),
    stampUs,
  }))
  await insertSuppressions(tx, rows.sort(byBucketAndHash))
}

/** Lets addresses be written to again, as far as these reasons go; forgets their soft bounces when `soft_bounces` is among them. */
export async function unsuppress(
  tx: Tx,
  workspace_id: number,
  addresses: readonly string[],
  reasons: readonly SuppressionReason[],
  hashAddress: HashAddress,
): Promise<void> {
  const places = addresses.map((address) => hashedAddress(workspace_id, address, hashAddress)).sort(byBucketAndHash)
  await deleteSuppressions(tx, places, reasons)
}

/** Others have written it: no NUL, no lone surrogate, one line, not long. */
function cleaned(told: string): string {
  const line = told.toWellFormed().replaceAll('\u0000', '\ufffd').replaceAll(/\s+/g, ' ').trim()
  return line.slice(0, toldCharactersMax).toWellFormed()
}
