import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../bench/random.ts'
import {
  estimateOf,
  sampleBucketsMax,
  sampleBucketsMin,
  sampleOf,
  sampleWidth,
} from '../../src/audience/builder/estimate.ts'

const buckets = 4096
const draws = 400

/** Draws how many of so many people are in a sample. */
function drawn(random: Random, people: number, width: number): number {
  let found = 0
  for (let i = 0; i < people; i++) if (random.below(buckets) < width) found++
  return found
}

test('the true number of people is within the error in at least nine of ten samples', () => {
  for (const people of [0, 1, 7, 60, 500, 3_000]) {
    for (const width of [64, 100, 256]) {
      const random = new Random(people * buckets + width)
      let within = 0
      for (let i = 0; i < draws; i++) {
        const { count, error } = estimateOf(drawn(random, people, width), width)
        if (Math.abs(people - count) <= error) within++
      }
      assert.ok(within >= draws * 0.9, `${people} people in ${width} buckets: ${within} of ${draws}`)
    }
  }
})

test('an estimate has an error, which grows more slowly than the count', () => {
  assert.deepEqual(estimateOf(0, 64), { count: 0, error: 243 })
  assert.deepEqual(estimateOf(12, buckets), { count: 12, error: 0 })
  const [few, many] = [estimateOf(100, 64), estimateOf(10_000, 64)]
  assert.ok(many.error / many.count < few.error / few.count / 5)
  assert.equal(many.count, 640_000)
  assert.ok(many.error < 0.03 * many.count, String(many.error))
})

test('a sample has between 64 and 256 buckets, all of them existing ones, and is the same each time', () => {
  const widthOf = (people: number) => sampleWidth(people, sampleBucketsMin)
  assert.deepEqual([0, 1, 3_749, 3_750].map(widthOf), [256, 256, 256, 256])
  assert.equal(widthOf(10_000), 96)
  assert.deepEqual([14_999, 15_000, 15_001, 1_000_000].map(widthOf), [65, 64, 64, 64])
  for (let workspace_id = 1; workspace_id < 2_000; workspace_id++) {
    for (const width of [sampleBucketsMin, 100, sampleBucketsMax]) {
      const { from, below } = sampleOf(workspace_id, width)
      assert.ok(from >= 0 && below <= buckets && below - from === width, `workspace ${workspace_id}`)
      assert.deepEqual(sampleOf(workspace_id, width), { from, below })
    }
  }
})
