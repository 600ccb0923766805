import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bucketCount } from '../../src/base/db/buckets.ts'
import { bucketsOf } from '../../src/people/identity/person.ts'
import { sizes } from '../sizes.ts'

/** Returns the chi-square of counts against an even spread, in standard deviations from its expected value. */
function deviations(counts: Int32Array, total: number): number {
  const expected = total / counts.length
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const freedom = counts.length - 1
  return (chiSquare - freedom) / Math.sqrt(2 * freedom)
}

test('identifiers spread evenly over buckets and over random buckets', () => {
  const total = sizes.spreadIdentifiers
  const buckets = new Int32Array(bucketCount)
  const randomBuckets = new Int32Array(10_000)
  for (let i = 0; i < total; i++) {
    const found = bucketsOf(1, 'external_id', `user-${i}`)
    buckets[found.bucket]!++
    randomBuckets[found.random_bucket]!++
  }
  // The identifiers are fixed, so the result is too: five deviations would be a defect of the rule, not chance.
  assert.ok(Math.abs(deviations(buckets, total)) < 5, `buckets are ${deviations(buckets, total)} deviations off`)
  assert.ok(
    Math.abs(deviations(randomBuckets, total)) < 5,
    `random buckets are ${deviations(randomBuckets, total)} off`,
  )
})

test('the buckets of a person depend on workspace, kind and value of the identifier only', () => {
  const expected = bucketsOf(1, 'external_id', 'ada')
  assert.deepEqual(bucketsOf(1, 'external_id', 'ada'), expected)
  for (const other of [
    bucketsOf(2, 'external_id', 'ada'),
    bucketsOf(1, 'email', 'ada'),
    bucketsOf(1, 'external_id', 'Ada'),
  ]) {
    assert.notDeepEqual(other, expected)
  }
})
