import assert from 'node:assert/strict'
import test from 'node:test'
import { globalControlRefusal, hasGlobalControl } from '../../src/messaging/ledger/global-control.ts'
import { findControlRange } from '../../src/workspace/settings/control-group.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'

type Ranges = readonly (readonly [from: number, to: number])[]

const settingsOf = (ranges: Ranges) =>
  completeSettings({ global_control_group: { ranges: ranges.map(([from, to]) => ({ from, to })) } })

const cases: readonly [Ranges, number, readonly [number, number] | undefined][] = [
  [[], 0, undefined],
  [[[0, 499]], 0, [0, 499]],
  [[[0, 499]], 499, [0, 499]],
  [[[0, 499]], 500, undefined],
  [[[100, 100]], 99, undefined],
  [[[100, 100]], 100, [100, 100]],
  [[[100, 100]], 101, undefined],
  [[[9_999, 9_999]], 9_999, [9_999, 9_999]],
  [[[0, 9_999]], 5_000, [0, 9_999]],
  [
    [
      [0, 9],
      [20, 29],
    ],
    15,
    undefined,
  ],
  [
    [
      [20, 29],
      [0, 9],
    ],
    5,
    [0, 9],
  ],
  [
    [
      [0, 20],
      [10, 30],
    ],
    15,
    [0, 20],
  ],
]

test('a random bucket is in the group when a range has it, both ends included', () => {
  for (const [ranges, bucket, range] of cases) {
    const expected = range && { from: range[0], to: range[1] }
    assert.deepEqual(findControlRange(settingsOf(ranges), bucket), expected, JSON.stringify([ranges, bucket]))
  }
})

test('the group keeps people out of marketing alone, and the refusal has the range and the bucket', () => {
  const settings = settingsOf([[10, 19]])
  assert.deepEqual(globalControlRefusal('marketing', 12, settings), {
    reason: 'global_control_group',
    rule: 'random buckets 10 to 19 get no marketing messages',
    inputs: { random_bucket: 12, from: 10, to: 19 },
  })
  assert.equal(globalControlRefusal('marketing', 20, settings), undefined)
  assert.equal(globalControlRefusal('transactional', 12, settings), undefined)
  assert.equal(globalControlRefusal('marketing', null, settings), undefined, 'the person is gone')
  assert.equal(hasGlobalControl('marketing', settings), true)
  assert.equal(hasGlobalControl('transactional', settings), false)
  assert.equal(hasGlobalControl('marketing', completeSettings({})), false)
})
