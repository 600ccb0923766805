import assert from 'node:assert/strict'
import test from 'node:test'
import { judgeExpired } from '../../src/messaging/delivery/leases.ts'
import { type Reason, reasons } from '../../src/messaging/ledger/reasons.ts'
import { ended, truthOf } from '../../src/messaging/messages/outcome.ts'
import {
  endedWith,
  ends,
  events,
  isEnd,
  next,
  type State,
  states,
  statesBefore,
} from '../../src/messaging/messages/states.ts'

const leased = {
  ...{ bucket: 1, message_id: '1', profile_id: '1', workspace_id: 1, cause: '', step: '', visit: 0, channel: 'email' },
  ...{ plannedMs: 0, flow_id: null, flow_version: null, variant: null, lease: '' },
}

/** Everything that may happen, written out once more. */
const allowed = new Set([
  ...['queued claimed leased', 'queued paused held', 'queued suppressed suppressed', 'queued cancelled cancelled'],
  ...['queued missed missed', 'queued failed failed'],
  ...['held resumed queued', 'held cancelled cancelled', 'held missed missed'],
  ...['leased released queued', 'leased handed_over handed_over', 'leased paused held', 'leased accepted accepted'],
  ...['leased suppressed suppressed', 'leased aborted aborted', 'leased cancelled cancelled', 'leased missed missed'],
  ...[
    'leased failed failed',
    'handed_over deferred queued',
    'handed_over accepted accepted',
    'handed_over bounced bounced',
  ],
  ...['handed_over failed failed', 'handed_over doubted uncertain'],
  ...['queued doubted uncertain', 'held doubted uncertain', 'leased doubted uncertain'],
])

test('every pair of a state and an event leads where the table says, or nowhere', () => {
  for (const state of states) {
    for (const event of events) {
      const to = next(state, event)
      if (to === undefined) {
        assert.ok(![...allowed].some((line) => line.startsWith(`${state} ${event} `)), `${state} ${event}`)
      } else assert.ok(allowed.has(`${state} ${event} ${to}`), `${state} ${event} ${to}`)
    }
  }
})

test('nothing leaves an end, and every state leads to one', () => {
  for (const state of states) {
    const onwards = events.flatMap((event) => next(state, event) ?? [])
    assert.equal(onwards.length === 0, isEnd(state), state)
  }
  const reaches = (state: State, seen: readonly State[] = []): boolean =>
    isEnd(state) ||
    events.some((event) => {
      const to = next(state, event)
      return to !== undefined && !seen.includes(to) && reaches(to, [...seen, state])
    })
  for (const state of states) assert.ok(reaches(state), state)
})

test('a mail that a server may have is never cancelled, paused or suppressed', () => {
  for (const event of ['cancelled', 'paused', 'suppressed', 'aborted', 'missed', 'claimed'] as const) {
    assert.ok(!statesBefore(event).includes('handed_over'), event)
  }
})

test('every reason of the ledger is an end', () => {
  for (const reason of Object.keys(reasons)) assert.ok(ends.includes(endedWith(reason as Reason)), reason)
})

test('a message that a server may have had ends as sent or as uncertain, with what kept it from being sent again', () => {
  for (const reason of Object.keys(reasons) as Reason[]) {
    const verdict = ended({ reason, rule: 'a rule', inputs: { a: 1 } })
    assert.equal(truthOf({ doubted: false }, verdict), verdict)
    const told = truthOf({ doubted: true }, verdict)
    if (reason === 'sent' || reason === 'uncertain') assert.equal(told, verdict)
    else {
      assert.ok(told.ends)
      assert.deepEqual(
        [told.state, told.reason, told.inputs],
        ['uncertain', 'uncertain', { not_sent_again: reason, a: 1 }],
      )
      assert.match(told.rule!, /: a rule$/)
    }
  }
})

test('what was handed over by a worker that is gone is doubted from then on', () => {
  const message = { ...leased, attempts: 1, room: 1, address: 'a@example.com', doubted: false }
  const judged = (state: 'leased' | 'handed_over', kind: 'transactional' | 'marketing') => {
    const verdict = judgeExpired({ ...message, state, class: kind })
    return verdict.ends ? verdict.reason : [verdict.state, verdict.doubted ?? false]
  }
  assert.deepEqual(judged('leased', 'transactional'), ['queued', false])
  assert.deepEqual(judged('handed_over', 'transactional'), ['queued', true])
  assert.deepEqual(judged('leased', 'marketing'), ['queued', false])
  assert.equal(judged('handed_over', 'marketing'), 'uncertain')
})
