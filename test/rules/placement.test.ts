import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import {
  bucketOfPlaced,
  everyPart,
  hashOfBucket,
  type Placement,
  type Shard,
  split,
} from '../../src/base/db/placement.ts'
import { placementOf } from '../../src/base/db/shard-catalog.ts'

const lowest = -(2 ** 31)
const highest = 2 ** 31 - 1
const bucketCount = 4_096

/** Placements as Citus makes them: the whole range of hashes, cut at some points. */
const placements: fc.Arbitrary<Placement> = fc
  .uniqueArray(fc.integer({ min: lowest + 1, max: highest }), { maxLength: 70 })
  .map((cuts) => {
    const starts = [lowest, ...cuts.sort((a, b) => a - b)]
    const shards: Shard[] = starts.map((low, i) => ({ low, high: (starts[i + 1] ?? highest + 1) - 1 }))
    return { version: starts.join(' '), shards }
  })
const items = fc.array(fc.record({ bucket: fc.nat(bucketCount - 1), n: fc.nat() }), { maxLength: 300 })

function shardOf({ shards }: Placement, bucket: number): number {
  return shards.findIndex(({ low, high }) => hashOfBucket(bucket) >= low && hashOfBucket(bucket) <= high)
}

test('without a placement all items are one part, which names no buckets', () => {
  const given = [{ bucket: 7 }, { bucket: 3 }]
  assert.deepEqual(split(undefined, given, bucketOfPlaced), [{ items: given }])
  assert.deepEqual(split(undefined, [], bucketOfPlaced), [{ items: [] }])
  assert.deepEqual(everyPart(undefined), [{ items: [] }])
})

test('each item is in the part of its shard, in the given order, and the part names its buckets', () => {
  fc.assert(
    fc.property(placements, items, (placement, given) => {
      const parts = split(placement, given, bucketOfPlaced)
      const shards = parts.map(({ items: [first] }) => shardOf(placement, first!.bucket))
      assert.deepEqual(
        shards,
        [...new Set(shards)].sort((a, b) => a - b),
      )
      for (const [i, part] of parts.entries()) {
        assert.deepEqual(
          part.items,
          given.filter(({ bucket }) => shardOf(placement, bucket) === shards[i]),
        )
        assert.deepEqual(
          part.buckets,
          [...new Set(part.items.map(({ bucket }) => bucket))].sort((a, b) => a - b),
        )
      }
      assert.equal(
        parts.reduce((sum, part) => sum + part.items.length, 0),
        given.length,
      )
    }),
  )
})

test('the parts of all people name each bucket once, each part those of one shard', () => {
  fc.assert(
    fc.property(placements, (placement) => {
      const parts = everyPart(placement)
      assert.deepEqual(
        parts.flatMap(({ buckets }) => buckets!).sort((a, b) => a - b),
        Array.from({ length: bucketCount }, (_, i) => i),
      )
      for (const { buckets } of parts)
        assert.equal(new Set(buckets!.map((bucket) => shardOf(placement, bucket))).size, 1)
    }),
    { numRuns: 20 },
  )
})

test('an item says its bucket itself, or its person does', () => {
  assert.equal(bucketOfPlaced({ bucket: 5 }), 5)
  assert.equal(bucketOfPlaced({ person: { bucket: 6 } }), 6)
})

test('a bucket that no shard has is a defect, not lost', () => {
  const placement = { version: '', shards: [{ low: lowest, high: lowest }] }
  assert.throws(() => split(placement, [{ bucket: 1 }], bucketOfPlaced), /no shard has the bucket/)
})

test('the rows of a catalog are a placement whose version changes with the shards, and no rows are none', () => {
  assert.equal(placementOf([]), undefined)
  const rows = [
    { shard_id: '102008', low: lowest, high: -1 },
    { shard_id: '102009', low: 0, high: highest },
  ]
  assert.deepEqual(placementOf(rows)?.shards, [
    { low: lowest, high: -1 },
    { low: 0, high: highest },
  ])
  assert.notEqual(placementOf(rows)?.version, placementOf([rows[0]!, { ...rows[1]!, shard_id: '102010' }])?.version)
})
