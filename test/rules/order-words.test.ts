import assert from 'node:assert/strict'
import test from 'node:test'
import {
  actionsOf,
  type OrderCounts,
  outcomesOf,
  progressSentence,
  recipientWords,
  toGo,
  whatWords,
} from '../../src/messaging/expansion/order-words.ts'
import type { Sending } from '../../src/messaging/orders/sending.ts'

const nothing: OrderCounts = {
  state: 'running',
  found: 0,
  unknown: 0,
  entries: {},
  messages: {},
  reasons: {},
  messageReasons: new Set(),
  hasMissed: false,
}
const of = (some: Partial<OrderCounts>): OrderCounts => ({ ...nothing, ...some })
const sending = (some: Partial<Sending>) => some as Sending

test('a sentence says how far a send is', () => {
  const mails = { found: 81_200, messages: { queued: 7_000, leased: 155, accepted: 64_011, suppressed: 10_034 } }
  const reasons = { sent: 64_011, frequency_capped: 10_034 }
  const ended = { ...mails, messages: { accepted: 64_011, suppressed: 10_034 } }
  const cases: readonly (readonly [Partial<OrderCounts>, string])[] = [
    [{ state: 'waiting' }, 'Waiting: its time has not come.'],
    [{ ...mails, reasons }, 'Running. 81,200 found, 74,045 ended and 7,155 to go.'],
    [{ ...mails, reasons, state: 'paused' }, 'Paused. 81,200 found, 74,045 ended and 7,155 to go.'],
    [{ ...ended, reasons, state: 'done', found: 74_045 }, 'Done. 74,045 found, 64,011 sent and 10,034 held.'],
    [{ state: 'done' }, 'Done. 0 found.'],
    [
      { state: 'done', found: 2, unknown: 1, reasons: { no_such_user: 1, control_group: 1, uncertain: 1 } },
      'Done. 3 found, 1 in the control group, 1 failed and 1 uncertain.',
    ],
    [
      { state: 'done', found: 3, entries: { completed: 2, already_entered: 1 }, reasons: { already_entered: 1 } },
      'Done. 3 found, 2 went through and 1 held.',
    ],
    [{ found: 3, entries: { waiting: 2, completed: 1 } }, 'Running. 3 found, 1 ended and 2 to go.'],
  ]
  for (const [counts, sentence] of cases) assert.equal(progressSentence(of(counts)), sentence)
})

test('outcomes are counted once, the most frequent first, and what is open last', () => {
  const counts = of({
    found: 10,
    entries: { completed: 1, listening: 2, exited: 3 },
    messages: { queued: 1, held: 1, accepted: 2 },
    reasons: { sent: 2, exited: 3 },
    messageReasons: new Set(['sent']),
  })
  assert.equal(toGo(counts), 4)
  assert.deepEqual(
    outcomesOf(counts).map(({ reason, family, count, has_messages }) => [reason, family, count, has_messages]),
    [
      ['exited', 'held', 3, false],
      ['sent', 'sent', 2, true],
      ['completed', 'sent', 1, false],
      [null, 'waiting', 4, true],
    ],
  )
  assert.deepEqual(outcomesOf(nothing), [])
})

test('what can be done follows the state', () => {
  const actions = (state: OrderCounts['state'], hasMissed = false) => actionsOf({ state, hasMissed })
  assert.deepEqual(actions('waiting'), ['pause', 'cancel'])
  assert.deepEqual(actions('running', true), ['pause', 'cancel', 'send-missed'])
  assert.deepEqual(actions('paused'), ['resume', 'cancel'])
  assert.deepEqual(actions('done'), [])
  assert.deepEqual(actions('done', true), ['send-missed'])
  assert.deepEqual(actions('cancelled', true), [])
})

test('what is sent and its recipients are said without the content', () => {
  const flow = { flow_id: 1, kind: 'campaign', id: 'spring', by: 'api' } as const
  assert.equal(whatWords(sending({ flow }), { kind: 'campaign', name: 'Spring sale' }), 'The campaign "Spring sale"')
  assert.equal(whatWords(sending({ flow }), undefined), 'The campaign "spring"')
  assert.equal(whatWords(sending({ email: { subject: 'Ada, look' } } as Partial<Sending>), undefined), 'A mail')
  assert.match(whatWords(sending({}), undefined), /not delivered here/)
  const recipients = [{ external_user_id: 'ada' }, { external_user_id: 'bo' }]
  const cases: readonly (readonly [Partial<Sending>, string])[] = [
    [{}, 'Everybody'],
    [{ segment_id: 'gold' }, 'Everybody in the segment "Gold"'],
    [{ segment_id: 'gold', audience: {} }, 'Everybody in the segment "Gold" and its own conditions'],
    [{ recipients }, '2 named recipients'],
    [{ recipients: recipients.slice(1) }, 'One named recipient'],
    [{ recipients, segment_id: 'gold' }, '2 named recipients, if in the segment "Gold"'],
  ]
  for (const [asked, words] of cases) assert.equal(recipientWords(sending(asked), 'Gold'), words)
  assert.equal(recipientWords(sending({ segment_id: 'gone' }), undefined), 'Everybody in the segment "gone"')
})
