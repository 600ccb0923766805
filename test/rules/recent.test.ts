import assert from 'node:assert/strict'
import test from 'node:test'
import { Recent } from '../../src/base/work/recent.ts'

const max = 3

test('so many values are kept, those that were set last', () => {
  const cases: readonly (readonly [string[], string[]])[] = [
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [
      ['a', 'b', 'c'],
      ['a', 'b', 'c'],
    ],
    [
      ['a', 'b', 'c', 'd'],
      ['b', 'c', 'd'],
    ],
    [
      ['a', 'b', 'c', 'a', 'd'],
      ['a', 'c', 'd'],
    ],
  ]
  for (const [set, kept] of cases) {
    const recent = new Recent<string, number>(max)
    for (const [i, key] of set.entries()) recent.set(key, i)
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].filter((key) => recent.get(key) !== undefined),
      kept,
    )
    assert.equal(recent.get(set.at(-1)!), set.length - 1)
  }
})
