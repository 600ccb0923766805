import assert from 'node:assert/strict'
import test from 'node:test'
import { eventsOf } from '../../src/messaging/statuses/events.ts'
import { endOf, type SendState } from '../../src/messaging/statuses/send-end.ts'

const now = new Date('2026-01-01T00:00:00.000Z')
const at = new Date('2026-01-01T00:00:05.000Z')
const accepted: SendState = {
  order_state: 'active',
  open_slots: 0,
  found: 1,
  unknown: 0,
  entry_state: 'sending',
  entry_ended: null,
  entry_ended_at: null,
  has_message: true,
  message_reason: null,
  message_ended_at: null,
  delivered_us: null,
  bounced_us: null,
}
const noEntry = { entry_state: null, has_message: false }
const noMessage = { has_message: false, entry_state: 'ended', entry_ended_at: at }

for (const [name, more, reason] of [
  ['a message that is open', {}, undefined],
  ['a message that was sent', { message_reason: 'sent', message_ended_at: at }, 'sent'],
  ['a message that failed', { message_reason: 'no_address', message_ended_at: at }, 'no_address'],
  ['an entry without a message yet', { has_message: false, entry_state: 'arriving' }, undefined],
  ['an entry that was refused', { ...noMessage, entry_ended: 'control_group' }, 'control_group'],
  ['an entry whose message is gone', { ...noMessage, entry_ended: 'completed' }, 'deleted'],
  ['an order that waits', { ...noEntry, open_slots: 1, found: 0 }, undefined],
  ['an order that found nobody', { ...noEntry, found: 0, unknown: 1 }, 'no_such_user'],
  ['an order of a deleted person', noEntry, 'deleted'],
  ['an order that was cancelled', { ...noEntry, order_state: 'cancelled', open_slots: 1 }, 'cancelled'],
  ['an order that is gone', { ...noEntry, order_state: null }, 'deleted'],
] as const) {
  test(`the end of ${name} is ${reason ?? 'not known'}`, () => {
    assert.equal(endOf({ ...accepted, ...more }, now)?.reason, reason)
  })
}

test('a send is told in the order of what happened', () => {
  const dispatch_id = '0f3b6a52-1c5d-4e6f-8a7b-9c0d1e2f3a4b'
  const send = { dispatch_id, campaign_id: 'c', external_send_id: null, accepted_at: now }
  const us = at.getTime() * 1000
  const told = (more: object) =>
    eventsOf({ ...send, end: undefined, delivered_us: null, bounced_us: null, ...more }).map(({ status, metadata }) => [
      status,
      metadata[`${status}_at`],
    ])
  const time = '2026-01-01T00:00:05.000+00:00'
  assert.deepEqual(told({}), [])
  const sent = [
    ['sent', time],
    ['processed', time],
  ]
  assert.deepEqual(told({ end: { reason: 'sent', at } }), sent)
  assert.deepEqual(told({ end: { reason: 'sent', at }, delivered_us: us }), [...sent, ['delivered', time]])
  assert.deepEqual(told({ end: { reason: 'no_address', at } }), [['aborted', time]])
  const end = { reason: 'sent', at } as const
  const [delivered, bounced] = [
    told({ end, delivered_us: us, bounced_us: us + 1 }),
    told({ end, bounced_us: us, delivered_us: us + 1 }),
  ]
  assert.deepEqual(
    delivered.map(([status]) => status),
    ['sent', 'processed', 'delivered', 'bounced'],
  )
  assert.deepEqual(
    bounced.map(([status]) => status),
    ['sent', 'processed', 'bounced', 'delivered'],
  )
  assert.deepEqual(told({ end: { reason: 'refused_by_server', at }, bounced_us: us }), [['aborted', time]])
})
