import { hash } from 'node:crypto'

/** Where a profile lives. `profile_id` is the decimal text of a bigint, `key` the same as a value that goes into binary arrays. */
export type Person = {
  readonly bucket: number
  readonly profile_id: string
  readonly key: bigint
}

/** Rows of one profile become rows of another: they were merged. */
export type Move = { readonly from: Person; readonly into: Person }

export const bucketCount = 4096
const randomBucketCount = 10_000

export function person(bucket: number, profile_id: string): Person {
  return { bucket, profile_id, key: BigInt(profile_id) }
}

/** Somebody who is known, among what only says whom to look for. */
export function isPerson(found: object): found is Person {
  return 'profile_id' in found
}

/** The bucket is the top 12 of a profile id's 63 bits. */
export function bucketOfId(profile_id: string): number {
  return Number(BigInt(profile_id) >> 51n)
}

/** What an identifier's hash decides: the bucket of its row (and of a profile created by it), and that profile's random bucket. */
export type Buckets = { bucket: number; random_bucket: number }

/** The first 12 bits of sha256(workspace, kind, normalised value) are the bucket; bits 16 to 47 choose one of 10,000 random buckets. */
export function bucketsOf(workspace_id: number, kind: string, value: string): Buckets {
  // Hexadecimal: a Buffer would take twice as long as the hash.
  const digest = hash('sha256', `${workspace_id}\u001f${kind}\u001f${value}`, 'hex')
  const bucket = Number.parseInt(digest.slice(0, 3), 16)
  return { bucket, random_bucket: Number.parseInt(digest.slice(4, 12), 16) % randomBucketCount }
}

/** An identifier and the bucket its row lives in. */
export type Located<Kind extends string = string> = { bucket: number; workspace_id: number; kind: Kind; value: string }

export function located<Kind extends string>(
  workspace_id: number,
  { kind, value }: { readonly kind: Kind; readonly value: string },
): Located<Kind> {
  return { bucket: bucketsOf(workspace_id, kind, value).bucket, workspace_id, kind, value }
}

/** Order in which rows of people are locked, everywhere: by bucket, then by id. */
export function byBucketAndId(a: { person: Person }, b: { person: Person }): number {
  if (a.person.bucket !== b.person.bucket) return a.person.bucket - b.person.bucket
  return a.person.key < b.person.key ? -1 : a.person.key > b.person.key ? 1 : 0
}

/**
 * An address as its states are kept: they outlive the people who had it, so the address itself is not in them. Hexadecimal, keyed
 * by the installation's secret.
 */
export type HashAddress = (workspace_id: number, kind: 'email' | 'phone', value: string) => string

/** Returns the function that hashes addresses with the secret of this installation. */
export function addressHasher(secret: Buffer): HashAddress {
  return (workspace_id, kind, value) => {
    const text = `${workspace_id}\u001f${kind}\u001f${value}`
    return hash('sha256', Buffer.concat([secret, Buffer.from(text)]))
  }
}
