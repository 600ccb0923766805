import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import {
  grantKey,
  perSecondMin,
  rateDemands,
  rateFor,
  retryMsMax,
  ThrottleQueues,
} from '../../src/messaging/delivery/rates.ts'
import { fairShares, withOwnShares } from '../../src/messaging/messages/fair-shares.ts'
import type { Lane } from '../../src/messaging/messages/message.ts'
import { seed } from '../sizes.ts'
import { many } from '../support/people.ts'

const mails = (...domains: string[]) =>
  domains.map((domain) => ({ transport: 't', domain, class: 'marketing' as const }))

test('mails above the rate of a domain are retried in order at that rate, each domain separately', () => {
  const demands = mails('a', 'b', 'a', 'c', 'a')
  assert.deepEqual(rateDemands(demands, 'domain'), [
    { transport: 't', domain: 'a', count: 3 },
    { transport: 't', domain: 'b', count: 1 },
    { transport: 't', domain: 'c', count: 1 },
  ])
  assert.deepEqual(rateDemands(demands, 'transport'), [{ transport: 't', domain: '', count: 5 }])
  const granted = new Map([
    [grantKey('t', 'a'), { count: 1, freeMs: 1_250, perSecond: 4 }],
    [grantKey('t', 'b'), { count: 0, freeMs: 5_000, perSecond: 1 }],
  ])
  const queues = new ThrottleQueues()
  assert.deepEqual(queues.retryTimes(demands, 'domain', granted, 0), [undefined, 5_000, 1_250, undefined, 1_500])
  // Later mails are retried later.
  assert.deepEqual(queues.retryTimes(mails('a', 'a'), 'domain', granted, 0), [undefined, 1_750])
  // Transactional mail does not wait for them.
  const urgent = mails('a', 'a').map((each) => ({ ...each, class: 'transactional' as const }))
  assert.deepEqual(queues.retryTimes(urgent, 'domain', granted, 0), [undefined, 1_250])
})

test('each mail is retried within an hour, however many wait', () => {
  const queues = new ThrottleQueues()
  const granted = new Map([[grantKey('t', 'a'), { count: 0, freeMs: 2_000, perSecond: perSecondMin }]])
  const retriesMs = queues.retryTimes(mails(...many(500, () => 'a')), 'domain', granted, 1_000)
  assert.equal(retriesMs[1], 62_000)
  assert.ok(retriesMs.every((retryMs) => retryMs! <= 1_000 + retryMsMax))
})

test('a domain has the rate that is set for it, and names of prototype members are not domains', () => {
  const rates = { per_second: 50, domains: { 'gmail.com': 20 } }
  assert.equal(rateFor(rates, ''), 50)
  assert.equal(rateFor(rates, 'gmail.com'), 20)
  assert.equal(rateFor(rates, 'example.com'), undefined)
  assert.equal(rateFor(rates, 'constructor'), undefined)
  assert.equal(rateFor({}, ''), undefined)
})

test('capacity is shared evenly between workspaces, and over several turns each has the same', (t) => {
  t.diagnostic(`seed ${seed}`)
  const chance = new Random(seed)
  for (let run = 0; run < 200; run++) {
    const count = 1 + chance.below(9)
    const due: Lane[] = Array.from({ length: count }, (_, i) => ({
      workspace_id: i + 1,
      channel: 'email',
      class: 'marketing',
    }))
    const capacity = { transactional: chance.below(10), marketing: 1 + chance.below(20) }
    const totals = new Map<number, number>()
    for (let turn = 0; turn < count; turn++) {
      const shares = fairShares(due, capacity, turn)
      assert.equal(
        shares.reduce((sum, share) => sum + share.count, 0),
        capacity.marketing,
      )
      const counts = due.map(
        ({ workspace_id }) => shares.find((share) => share.workspace_id === workspace_id)?.count ?? 0,
      )
      assert.ok(Math.max(...counts) - Math.min(...counts) <= 1)
      for (const [i, taken] of counts.entries()) totals.set(i, (totals.get(i) ?? 0) + taken)
    }
    const sums = [...totals.values()]
    assert.ok(Math.max(...sums) - Math.min(...sums) <= 1, `${sums} of ${JSON.stringify(capacity)} for ${count}`)
  }
  assert.deepEqual(fairShares([], { transactional: 5, marketing: 5 }, 3), [])
})

test('each lane has a share of its own when others have used the capacity', () => {
  const due = [1, 2, 3].map((workspace_id) => ({ workspace_id, channel: 'email', class: 'marketing' as const }))
  const own: Readonly<Record<number, number>> = { 1: 0, 2: 5, 3: 2 }
  const shares = (room: number) =>
    withOwnShares(fairShares(due, { transactional: 0, marketing: room }, 0), due, (lane) => own[lane.workspace_id]!)
      .map(({ workspace_id, count }) => `${workspace_id}: ${count}`)
      .join(', ')
  assert.equal(shares(0), '2: 5, 3: 2')
  assert.equal(shares(9), '1: 3, 2: 5, 3: 3')
})
