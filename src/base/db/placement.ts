import { bucketCount } from './buckets.ts'

/** Where the rows of people are on a database that is distributed by bucket: a shard for each range of the hash of the bucket. */
export type Placement = {
  /** Changes with every change of the shards. */
  readonly version: string
  /** In the order of their ranges, which have no gap and do not overlap. */
  readonly shards: readonly Shard[]
}

/** The hashes from `low` to `high`, both included. */
export type Shard = { readonly low: number; readonly high: number }

/** What has a bucket: a row, or something about a person. */
export type Placed = { readonly bucket: number } | { readonly person: { readonly bucket: number } }

/** Items whose rows are on one shard, in the order in which they were given. `buckets` are theirs; undefined where there are no shards. */
export type ShardPart<Item = never> = { readonly items: readonly Item[]; readonly buckets?: readonly number[] }

const shardsOfBuckets = new WeakMap<Placement, Int32Array>()
const partsOfPlacements = new WeakMap<Placement, readonly ShardPart[]>()

/** Returns the bucket of something that says it itself. */
export function bucketOfPlaced(item: Placed): number {
  return 'bucket' in item ? item.bucket : item.person.bucket
}

/** Splits items by shard, in the order of the shards. Without a placement they are one part. */
export function split<Item>(
  placement: Placement | undefined,
  items: readonly Item[],
  bucketOf: (item: Item) => number,
): ShardPart<Item>[] {
  if (placement === undefined) return [{ items }]
  const shards = shardsOf(placement)
  const parts = new Map<number, { items: Item[]; buckets: Set<number> }>()
  for (const item of items) {
    const bucket = bucketOf(item)
    const part = parts.getOrInsertComputed(shards[bucket]!, () => ({ items: [], buckets: new Set() }))
    part.items.push(item)
    part.buckets.add(bucket)
  }
  return [...parts]
    .sort(([a], [b]) => a - b)
    .map(([, part]) => ({ items: part.items, buckets: [...part.buckets].sort((a, b) => a - b) }))
}

/** Returns a part without items for each shard, with all its buckets. Without a placement there is one part. */
export function everyPart(placement: Placement | undefined): readonly ShardPart[] {
  if (placement === undefined) return [{ items: [] }]
  return partsOfPlacements.getOrInsertComputed(placement, () => {
    const buckets: number[][] = placement.shards.map(() => [])
    for (const [bucket, shard] of shardsOf(placement).entries()) buckets[shard]!.push(bucket)
    return buckets.filter((each) => each.length > 0).map((each) => ({ items: [], buckets: each }))
  })
}

/** Returns the number of the shard of each bucket. */
function shardsOf(placement: Placement): Int32Array {
  return shardsOfBuckets.getOrInsertComputed(placement, () =>
    Int32Array.from({ length: bucketCount }, (_, bucket) => shardOf(placement, bucket)),
  )
}

/** Throws when no shard has the bucket. */
function shardOf({ shards }: Placement, bucket: number): number {
  const hash = hashOfBucket(bucket)
  const found = shards.findIndex(({ low, high }) => low <= hash && hash <= high)
  if (found < 0) throw new Error(`no shard has the bucket ${bucket}`)
  return found
}

/** Returns the hash by which a distributed database places a bucket: the same number as `hashint4` of PostgreSQL. */
export function hashOfBucket(bucket: number): number {
  const start = (0x9e3779b9 + 4 + 3_923_095) | 0
  let [a, b, c] = [(start + bucket) | 0, start, start]
  c = ((c ^ b) - turned(b, 14)) | 0
  a = ((a ^ c) - turned(c, 11)) | 0
  b = ((b ^ a) - turned(a, 25)) | 0
  c = ((c ^ b) - turned(b, 16)) | 0
  a = ((a ^ c) - turned(c, 4)) | 0
  b = ((b ^ a) - turned(a, 14)) | 0
  return ((c ^ b) - turned(b, 24)) | 0
}

/** Turns the 32 bits of a number to the left. */
function turned(bits: number, by: number): number {
  return (bits << by) | (bits >>> (32 - by))
}
