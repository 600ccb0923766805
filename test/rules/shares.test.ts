import assert from 'node:assert/strict'
import test from 'node:test'
import { isWithinShare, openShares } from '../../src/base/work/shares.ts'

for (const [own, all, isWithin] of [
  [49, 49, true],
  [50, 50, true],
  [51, 51, false],
  [33, 66, true],
  [34, 67, false],
  [1, 99, true],
  [1, 100, false],
] as const) {
  test(`A caller with ${own} of ${all} ${isWithin ? 'is' : 'is not'} within its share of 100.`, () => {
    assert.equal(isWithinShare(own, all, 100), isWithin)
  })
}

test('What is given back can be used again.', () => {
  const shares = openShares(100)
  for (let i = 0; i < 1000; i++) {
    assert.ok(shares.add('a', 50))
    assert.ok(!shares.add('a', 1))
    shares.add('a', -51)
  }
})
