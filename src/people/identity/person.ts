import { hash } from 'node:crypto'

/** The key of a profile. `profile_id` is the decimal text of a bigint, and `key` the same as a bigint for binary arrays. */
export type Person = {
  readonly bucket: number
  readonly profile_id: string
  readonly key: bigint
}

/** A merge of two profiles: rows of `from` become rows of `into`. */
export type Move = { readonly from: Person; readonly into: Person }

const randomBucketCount = 10_000

export function person(bucket: number, profile_id: string): Person {
  return { bucket, profile_id, key: BigInt(profile_id) }
}

/** Returns whether a look-up has already found the person. */
export function isPerson(found: object): found is Person {
  return 'profile_id' in found
}

/** Returns the bucket of a profile: the top 12 of the 63 bits of its id. */
export function bucketOfId(profile_id: string): number {
  return Number(BigInt(profile_id) >> 51n)
}

/** Derived from the hash of an identifier: the bucket of its row, and the bucket and random bucket of a profile that it creates. */
export type Buckets = { bucket: number; random_bucket: number }

/**
 * Hashes an identifier. The first 12 bits of sha256(workspace, kind, normalised value) are the bucket; bits 16 to 47 choose one of 10,000
 * random buckets.
 */
export function bucketsOf(workspace_id: number, kind: string, value: string): Buckets {
  // A Buffer would take twice as long as the hash itself.
  const digest = hash('sha256', `${workspace_id}\u001f${kind}\u001f${value}`, 'hex')
  const bucket = Number.parseInt(digest.slice(0, 3), 16)
  return { bucket, random_bucket: Number.parseInt(digest.slice(4, 12), 16) % randomBucketCount }
}

/** An identifier with the bucket of its row. */
export type Located<Kind extends string = string> = { bucket: number; workspace_id: number; kind: Kind; value: string }

export function located<Kind extends string>(
  workspace_id: number,
  { kind, value }: { readonly kind: Kind; readonly value: string },
): Located<Kind> {
  return { bucket: bucketsOf(workspace_id, kind, value).bucket, workspace_id, kind, value }
}

/** The order in which every transaction locks rows of people. */
export function byBucketAndId(a: { person: Person }, b: { person: Person }): number {
  if (a.person.bucket !== b.person.bucket) return a.person.bucket - b.person.bucket
  return a.person.key < b.person.key ? -1 : a.person.key > b.person.key ? 1 : 0
}

/**
 * Hashes an address with the secret of the installation, to hexadecimal text. States of addresses are stored under this hash, because they
 * outlive the people who had the address.
 */
export type HashAddress = (workspace_id: number, kind: 'email' | 'phone', value: string) => string

/** Returns the function that hashes addresses with the secret of this installation. */
export function addressHasher(secret: Buffer): HashAddress {
  return (workspace_id, kind, value) => {
    const text = `${workspace_id}\u001f${kind}\u001f${value}`
    return hash('sha256', Buffer.concat([secret, Buffer.from(text)]))
  }
}
