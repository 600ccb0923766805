/** The number of buckets, as everywhere in Easel. */
export const bucketCount = 4096
const tokens = 2 ** 32
const lowestToken = -(2 ** 31)

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}

/** Returns the hash of an integer that PostgreSQL uses (`hashint4`), from -2^31. Citus places a bucket by it. */
export function hashInteger(value: number): number {
  const initial = (0x9e3779b9 + 4 + 3923095) | 0
  let [a, b, c] = [(initial + value) | 0, initial, initial]
  c = ((c ^ b) - rotate(b, 14)) | 0
  a = ((a ^ c) - rotate(c, 11)) | 0
  b = ((b ^ a) - rotate(a, 25)) | 0
  c = ((c ^ b) - rotate(b, 16)) | 0
  a = ((a ^ c) - rotate(c, 4)) | 0
  b = ((b ^ a) - rotate(a, 14)) | 0
  return ((c ^ b) - rotate(b, 24)) | 0
}

/** Returns the shard of a bucket: Citus gives each shard an equal range of hashes. */
export function shardOf(bucket: number, shards: number): number {
  return Math.min(shards - 1, Math.floor((hashInteger(bucket) - lowestToken) / Math.floor(tokens / shards)))
}

/** Which shard each bucket is in, and which node each shard is on. */
export type Placement = { readonly shardOfBucket: Uint16Array; readonly nodeOfShard: Uint16Array }

/** Places the shards on the nodes in turn, as Citus does for a new table. */
export function placeBuckets(shards: number, nodes: number, buckets = bucketCount): Placement {
  return {
    shardOfBucket: Uint16Array.from({ length: buckets }, (_, bucket) => shardOf(bucket, shards)),
    nodeOfShard: Uint16Array.from({ length: shards }, (_, shard) => shard % nodes),
  }
}

/** Returns a placement in which one shard is on another node. */
export function moveShard(placement: Placement, shard: number, node: number): Placement {
  const nodeOfShard = placement.nodeOfShard.slice()
  nodeOfShard[shard] = node
  return { ...placement, nodeOfShard }
}

/** Returns how many buckets the fullest part has, divided by the mean. */
export function worstOverMean(partOfBucket: readonly number[], parts: number): number {
  const counts = new Uint32Array(parts)
  for (const part of partOfBucket) counts[part]!++
  return (Math.max(...counts) * parts) / partOfBucket.length
}

/** Returns how uneven the shards are: the buckets of the fullest one divided by the mean. */
export function unevenShards(buckets: number, shards: number): number {
  const { shardOfBucket } = placeBuckets(shards, 1, buckets)
  return worstOverMean([...shardOfBucket], shards)
}

/** Returns how uneven the nodes are. */
export function unevenNodes(buckets: number, shards: number, nodes: number): number {
  const { shardOfBucket, nodeOfShard } = placeBuckets(shards, nodes, buckets)
  return worstOverMean(
    [...shardOfBucket].map((shard) => nodeOfShard[shard]!),
    nodes,
  )
}
