import assert from 'node:assert/strict'
import test from 'node:test'
import { judgeExpired } from '../../src/messaging/delivery/leases.ts'
import { type Reason, reasons } from '../../src/messaging/ledger/reasons.ts'
import { endFor, reconcileOutcome } from '../../src/messaging/messages/outcome.ts'
import { endStateOf, endStates } from '../../src/messaging/messages/states.ts'

const leased = {
  ...{ bucket: 1, message_id: '1', profile_id: '1', workspace_id: 1, cause: '', step: '', visit: 0, channel: 'email' },
  ...{ plannedMs: 0, flow_id: null, flow_version: null, variant: null, lease: '' },
}

test('every reason of the ledger is an end', () => {
  for (const reason of Object.keys(reasons)) assert.ok(endStates.includes(endStateOf(reason as Reason)), reason)
})

test('a message that a server may have had ends as sent or as uncertain, with what kept it from being sent again', () => {
  for (const reason of Object.keys(reasons) as Reason[]) {
    const outcome = endFor({ reason, rule: 'a rule', inputs: { a: 1 } })
    assert.equal(reconcileOutcome({ doubted: false }, outcome), outcome)
    const told = reconcileOutcome({ doubted: true }, outcome)
    if (reason === 'sent' || reason === 'uncertain') assert.equal(told, outcome)
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
    const outcome = judgeExpired({ ...message, state, class: kind })
    return outcome.ends ? outcome.reason : [outcome.state, outcome.doubted ?? false]
  }
  assert.deepEqual(judged('leased', 'transactional'), ['queued', false])
  assert.deepEqual(judged('handed_over', 'transactional'), ['queued', true])
  assert.deepEqual(judged('leased', 'marketing'), ['queued', false])
  assert.equal(judged('handed_over', 'marketing'), 'uncertain')
})
