import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Random } from '../../bench/random.ts'
import {
  estimateOf,
  sampleBucketsMax,
  sampleBucketsMin,
  sampledPeople,
  sampledSlowly,
  sampleOf,
  sampleSizeFor,
  sampleWidth,
} from '../../src/audience/builder/estimate.ts'
import type { Tree } from '../../src/audience/conditions/tree.ts'

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

test('a sample has fewer people when a condition takes long for each of them', () => {
  const everybody: Tree = { all: [] }
  const pattern: Tree = {
    ...{ kind: 'standard_attribute', field: 'email' },
    test: { comparison: 'matches_regex', text: 'a$' },
  }
  const group: Tree = { kind: 'subscription_group', subscription_group_id: 'news', state: 'subscribed' }
  const what = { of: 'event', name: 'a', days: 1, properties: [{ name: 'kind', test: pattern.test }] } as const
  const events: Tree = { kind: 'occurrences', what, times: { comparison: 'greater_than', number: 1 } }
  const segment: Tree = { kind: 'segment', segment_id: 'nested', tree: { not: group } }
  for (const slow of [pattern, group, events, segment]) {
    assert.equal(sampleSizeFor({ any: [everybody, slow] }), sampledSlowly, JSON.stringify(slow))
  }
  const exact: Tree = { kind: 'standard_attribute', field: 'email', test: { comparison: 'equals', text: 'a' } }
  const plain: Tree = { ...events, what: { ...what, properties: [] } }
  for (const quick of [everybody, exact, plain]) assert.equal(sampleSizeFor(quick), sampledPeople)
})

test('an estimate has an error, which grows more slowly than the count', () => {
  assert.deepEqual(estimateOf(0, 64), { count: 0, error: 243 })
  assert.deepEqual(estimateOf(12, buckets), { count: 12, error: 0 })
  const [few, many] = [estimateOf(100, 64), estimateOf(10_000, 64)]
  assert.ok(many.error / many.count < few.error / few.count / 5)
  assert.equal(many.count, 640_000)
  assert.ok(many.error < 0.03 * many.count, String(many.error))
})

test('a sample has between 8 and 256 buckets, all of them existing ones, and is the same each time', () => {
  const widthOf = (people: number) => sampleWidth(people, 64, sampledPeople)
  assert.deepEqual([0, 1, 2_999, 3_000, 3_013].map(widthOf), [256, 256, 256, 256, 255])
  assert.equal(widthOf(12_000), 64)
  assert.deepEqual([95_999, 96_000, 96_001, 1_000_000].map(widthOf), [9, 8, 8, 8])
  for (let workspace_id = 1; workspace_id < 2_000; workspace_id++) {
    for (const width of [sampleBucketsMin, 100, sampleBucketsMax]) {
      const { from, below } = sampleOf(workspace_id, width)
      assert.ok(from >= 0 && below <= buckets && below - from === width, `workspace ${workspace_id}`)
      assert.deepEqual(sampleOf(workspace_id, width), { from, below })
    }
  }
})
