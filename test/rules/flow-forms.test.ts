import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { withCopy, withoutMessage } from '../../dashboard/src/pages/campaigns/messages.ts'
import { readDuration, writeDuration } from '../../dashboard/src/pages/flow-forms/durations.ts'
import { waysOf, withWay } from '../../dashboard/src/pages/flow-forms/entry.ts'
import { withMember } from '../../dashboard/src/pages/flow-forms/members.ts'
import { equalShares, sumOf } from '../../dashboard/src/pages/flow-forms/shares.ts'
import { linesOf, propertiesOf, triggerIn, withKind } from '../../dashboard/src/pages/flow-forms/trigger.ts'
import { begin, orderOf, recipientsReason } from '../../dashboard/src/pages/flow-send/send-order.ts'
import { instantIn } from '../../dashboard/src/words/times.ts'
import { seed } from '../sizes.ts'

test('equal shares are whole, add to 100 and differ by at most one', () => {
  for (const count of [1, 2, 3, 7, 8, 20]) {
    const shares = equalShares(count)
    assert.equal(sumOf(shares), 100)
    assert.ok(Math.max(...shares) - Math.min(...shares) <= 1, shares.join())
  }
})

test('a duration of one unit is read and written as it was; others are texts', () => {
  for (const text of ['P3D', 'P2W', 'PT30M', 'PT1S', 'PT12H']) assert.equal(writeDuration(readDuration(text)!), text)
  for (const text of ['', 'P1DT12H', '3 days', 'P3M', 'PT']) assert.equal(readDuration(text), undefined)
})

test('a way of entering is added with what it needs, and taken away with it', () => {
  assert.deepEqual(waysOf({}), ['api'])
  const event = { event: { event: 'bought' } }
  assert.deepEqual(waysOf(event), ['event'])
  assert.deepEqual(withWay({}, 'event', true), { by: ['api', 'event'], event: { event: '' } })
  assert.deepEqual(withWay(withWay({}, 'event', true), 'api', false), { by: ['event'], event: { event: '' } })
  assert.deepEqual(withWay(event, 'event', false), { by: [] })
  assert.deepEqual(withWay({}, 'event', true, event), { by: ['api', 'event'], ...event })
  assert.deepEqual(withWay({ ...event, again: 'never' }, 'api', true), {
    by: ['api', 'event'],
    ...event,
    again: 'never',
  })
})

test('a trigger keeps what is beside its name when its kind changes', () => {
  assert.deepEqual(triggerIn('bought', 'next'), { kind: 'event', member: undefined, name: 'bought' })
  assert.deepEqual(triggerIn({ name: 'bought' }, 'first'), { kind: 'event', member: 'name', name: 'bought' })
  // A path of a step has a name of its own.
  assert.deepEqual(triggerIn({ name: 'Path', event: 'bought' }, 'next').name, 'bought')
  const path = { name: 'Path', event: 'bought', properties: { plan: 'gold' }, next: 'b' }
  assert.deepEqual(withKind(path, 'next', 'purchase'), {
    name: 'Path',
    purchase: 'any',
    properties: { plan: 'gold' },
    next: 'b',
  })
  assert.deepEqual(withKind({ event: 'bought' }, 'conversion', 'opened'), { opened: 'email' })
})

test('comparisons of properties are the same after they were shown as lines', () => {
  const scalar = fc.oneof(fc.string(), fc.integer(), fc.boolean())
  const comparison = fc.constantFrom('equals', 'not_equal', 'greater_than')
  const properties = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    fc.oneof(scalar, fc.record({ comparison, value: scalar }), fc.constant({ comparison: 'exists' })),
    { minKeys: 1 },
  )
  const shown = (given: object) => JSON.stringify(propertiesOf(linesOf(given)!, given))
  fc.assert(
    fc.property(properties, (given) => assert.equal(shown(given), JSON.stringify(given))),
    { seed },
  )
  assert.equal(linesOf({ plan: { comparison: 'equals', value: 1, more: 2 } }), undefined)
})

test('shares of messages that were equal stay equal, and others stay as they are', () => {
  const one = { messages: [{ id: 'a', name: 'A', email: {} }] }
  const two = withCopy(one, 0, 'b')
  const shares = (document: { messages: readonly object[] }) =>
    document.messages.map((message) => ('percent' in message ? message.percent : undefined))
  assert.deepEqual(shares(two), [50, 50])
  assert.deepEqual(shares(withoutMessage(withCopy(two, 0, 'c'), 0)), [50, 50])
  const own = { messages: [{ percent: 70 }, { percent: 30 }] }
  assert.deepEqual(shares(withCopy(own, 1, 'c')), [70, 30, 0])
})

test('an object that has nothing left is removed with its last member, but entries of lists stay', () => {
  assert.deepEqual(withMember({ a: 1, entry: { again: 'never' } }, ['entry', 'again'], undefined), { a: 1 })
  assert.deepEqual(withMember({ a: 1 }, ['entry', 'again'], undefined), { a: 1 })
  assert.deepEqual(withMember({ list: [{ name: 'x' }] }, ['list', 0, 'name'], undefined), { list: [{}] })
})

test('an order has its recipients and its time as the API takes it', () => {
  assert.deepEqual(orderOf(begin, 'UTC'), {})
  const listed = { ...begin, recipients: 'listed', listed: ' ada \nbo@example.com, ada' } as const
  assert.deepEqual(orderOf(listed, 'UTC'), { recipients: [{ external_user_id: 'ada' }, { email: 'bo@example.com' }] })
  const people = (count: number) => ({ ...listed, listed: Array.from({ length: count }, (_, i) => `p${i}`).join('\n') })
  assert.deepEqual(
    [49, 50].map((count) => recipientsReason(people(count))),
    [undefined, undefined],
  )
  assert.match(recipientsReason(people(51))!, /At most 50/)
  const later = {
    ...begin,
    recipients: 'segment',
    segment: 'gold',
    time: '2027-07-01T09:00',
    day: '2027-07-01',
  } as const
  assert.deepEqual(orderOf({ ...later, when: 'at' }, 'Europe/Paris'), {
    segment_id: 'gold',
    schedule: { time: '2027-07-01T07:00:00.000Z' },
  })
  assert.deepEqual(orderOf({ ...later, when: 'local' }, 'Europe/Paris').schedule, {
    time: '2027-07-01T09:00:00',
    in_local_time: true,
  })
  assert.deepEqual(orderOf({ ...later, when: 'optimal' }, 'Europe/Paris').schedule, {
    time: '2027-07-01T00:00:00',
    at_optimal_time: true,
  })
})

test('a local time is the instant of its zone: the first of an hour that occurs twice, and after a gap', () => {
  for (const [zone, local, instant] of [
    ['UTC', '2027-01-31T09:00', '2027-01-31T09:00:00.000Z'],
    ['Europe/Paris', '2027-01-31T09:00', '2027-01-31T08:00:00.000Z'],
    ['Europe/Paris', '2027-10-31T02:30', '2027-10-31T00:30:00.000Z'],
    ['Europe/Paris', '2027-03-28T02:30', '2027-03-28T01:30:00.000Z'],
    ['Pacific/Kiritimati', '2027-01-31T00:00', '2027-01-30T10:00:00.000Z'],
    ['America/St_Johns', '2027-01-31T00:00', '2027-01-31T03:30:00.000Z'],
  ] as const) {
    assert.equal(instantIn(zone, local), instant, `${zone} ${local}`)
  }
})
