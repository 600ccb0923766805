import type { Tx } from '../../base/db/db.ts'
import { bucketsOf, type HashAddress } from '../identity/person.ts'
import { insertInvalidPhones } from './invalid-phone-store.ts'
import { byBucketAndHash, toldCharactersMax } from './suppress.ts'
import type { HashedAddress } from './suppression-store.ts'

/** A number that a provider has refused for good. */
export type InvalidPhone = {
  readonly workspace_id: number
  /** In E.164. */
  readonly phone: string
  /** What the provider said. */
  readonly detail: string
  /** Epoch microseconds. */
  readonly stampUs: number
  /** Nobody has the number, so only its hash is stored. */
  readonly hidden?: boolean
}

/** Marks numbers as invalid. No text message is sent to them until they are removed from the list. */
export async function markInvalidPhones(
  tx: Tx,
  phones: readonly InvalidPhone[],
  hashAddress: HashAddress,
): Promise<void> {
  const rows = phones.map(({ workspace_id, phone, detail, stampUs, hidden }) => ({
    ...hashedPhone(workspace_id, phone, hashAddress),
    phone: hidden ? null : phone,
    reason: 'provider_error' as const,
    told: detail
      .toWellFormed()
      .replaceAll('\u0000', '\ufffd')
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, toldCharactersMax),
    stampUs,
  }))
  await insertInvalidPhones(tx, rows.sort(byBucketAndHash))
}

/** Returns the key under which states of a phone number are stored. */
export function hashedPhone(workspace_id: number, phone: string, hashAddress: HashAddress): HashedAddress {
  const { bucket } = bucketsOf(workspace_id, 'phone', phone)
  return { bucket, workspace_id, value: hashAddress(workspace_id, 'phone', phone) }
}
