import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { distinctLanes, sharesLeft } from '../../src/messaging/messages/fair-shares.ts'
import type { AnyLane } from '../../src/messaging/messages/message.ts'

const lanes: fc.Arbitrary<AnyLane> = fc.record(
  {
    workspace_id: fc.integer({ min: 1, max: 3 }),
    channel: fc.constantFrom('email', 'sms'),
    class: fc.constantFrom('transactional', 'marketing'),
  },
  { requiredKeys: ['workspace_id', 'class'] },
)
const keyOf = ({ workspace_id, channel, class: kind }: AnyLane) => `${workspace_id} ${channel} ${kind}`

test('what is left of shares is what was not taken, and full shares are gone', () => {
  const shares = fc
    .uniqueArray(lanes, { selector: keyOf })
    .chain((each) =>
      fc.tuple(...each.map((lane) => fc.integer({ min: 1, max: 5 }).map((count) => ({ ...lane, count })))),
    )
  fc.assert(
    fc.property(shares, fc.array(lanes, { maxLength: 20 }), (given, taken) => {
      const left = new Map(sharesLeft<AnyLane>(given, taken).map((share) => [keyOf(share), share.count]))
      for (const share of given) {
        const expected = share.count - taken.filter((row) => keyOf(row) === keyOf(share)).length
        assert.equal(left.get(keyOf(share)), expected > 0 ? expected : undefined)
      }
    }),
  )
})

test('of the lanes of all shards each is returned once, transactional ones first', () => {
  fc.assert(
    fc.property(fc.array(lanes), (given) => {
      const distinct = distinctLanes(given)
      assert.deepEqual(distinct.map(keyOf).sort(), [...new Set(given.map(keyOf))].sort())
      assert.deepEqual(
        distinct.map((lane) => lane.class),
        distinct
          .map((lane) => lane.class)
          .sort()
          .reverse(),
      )
    }),
  )
})
