import type { Tx } from '../../base/db/db.ts'
import { bucketsOf, type HashAddress } from '../identity/person.ts'
import {
  deleteSuppressions,
  type HashedAddress,
  insertSuppressions,
  type SuppressionReason,
} from './suppression-store.ts'

/** A new suppression of an address in a workspace. */
export type NewSuppression = {
  readonly workspace_id: number
  /** The normalised address. */
  readonly address: string
  readonly reason: SuppressionReason
  /** What the server, provider or operator said; cut to `toldCharactersMax`. */
  readonly told: string | null
  /** Epoch microseconds. */
  readonly stampUs: number
  /** Whether to store only the hash of the address, because no person in the workspace has it. */
  readonly hidden?: boolean
}

export const toldCharactersMax = 500

/** Returns the key under which states and suppressions of an address are stored. */
export function hashedAddress(workspace_id: number, address: string, hashAddress: HashAddress): HashedAddress {
  const { bucket } = bucketsOf(workspace_id, 'email', address)
  return { bucket, workspace_id, value: hashAddress(workspace_id, 'email', address) }
}

/** The order in which every transaction writes rows of addresses. */
export function byBucketAndHash(a: HashedAddress, b: HashedAddress): number {
  return a.bucket - b.bucket || (a.value < b.value ? -1 : a.value > b.value ? 1 : 0)
}

/** Suppresses addresses. A suppression that exists for the same reason keeps its time. */
export async function suppress(tx: Tx, entries: readonly NewSuppression[], hashAddress: HashAddress): Promise<void> {
  const rows = entries.map(({ workspace_id, address, reason, told, stampUs, hidden }) => ({
    ...hashedAddress(workspace_id, address, hashAddress),
    reason,
    address: hidden ? null : address,
    told: told === null ? null : oneLine(told),
    stampUs,
  }))
  await insertSuppressions(tx, rows.sort(byBucketAndHash))
}

/** Removes suppressions of addresses for these reasons. `soft_bounces` also resets the count of soft bounces. */
export async function unsuppress(
  tx: Tx,
  workspace_id: number,
  addresses: readonly string[],
  reasons: readonly SuppressionReason[],
  hashAddress: HashAddress,
): Promise<void> {
  const hashed = addresses.map((address) => hashedAddress(workspace_id, address, hashAddress)).sort(byBucketAndHash)
  await deleteSuppressions(tx, hashed, reasons)
}

/** Makes a text from outside one short line without NUL and lone surrogates. */
function oneLine(told: string): string {
  const line = told.toWellFormed().replaceAll('\u0000', '\ufffd').replaceAll(/\s+/g, ' ').trim()
  return line.slice(0, toldCharactersMax).toWellFormed()
}
