import assert from 'node:assert/strict'
import test from 'node:test'
import { outcomeOfExpired } from '../../src/messaging/delivery/leases.ts'
import { endStateOf, endStates } from '../../src/messaging/ledger/end-states.ts'
import { type Reason, reasons } from '../../src/messaging/ledger/reasons.ts'
import { endFor, reconcileOutcome } from '../../src/messaging/messages/outcome.ts'

const leased = {
  ...{ bucket: 1, message_id: '1', profile_id: '1', workspace_id: 1, cause: '', step: '', visit: 0, channel: 'email' },
  ...{ plannedMs: 0, flow_id: null, flow_version: null, variant: null, lease: '' },
}

test('every reason of the ledger has an end state', () => {
  for (const reason of Object.keys(reasons)) assert.ok(endStates.includes(endStateOf(reason as Reason)), reason)
})

test('a message with an unknown earlier outcome ends as sent or as uncertain, with the reason against another attempt', () => {
  for (const reason of Object.keys(reasons) as Reason[]) {
    const outcome = endFor({ reason, rule: 'a rule', inputs: { a: 1 } })
    assert.equal(reconcileOutcome({ maybe_sent: false }, outcome), outcome)
    const reconciled = reconcileOutcome({ maybe_sent: true }, outcome)
    if (reason === 'sent' || reason === 'uncertain') assert.equal(reconciled, outcome)
    else {
      assert.ok(reconciled.ends)
      assert.deepEqual(
        [reconciled.state, reconciled.reason, reconciled.inputs],
        ['uncertain', 'uncertain', { not_sent_again: reason, a: 1 }],
      )
      assert.match(reconciled.rule!, /: a rule$/)
    }
  }
})

test('a handed-over message whose lease has expired has an unknown outcome', () => {
  const message = { ...leased, attempts: 1, crashes: 0, rates_granted: 1, address: 'a@example.com', maybe_sent: false }
  const expiredTo = (state: 'leased' | 'handed_over', kind: 'transactional' | 'marketing') => {
    const outcome = outcomeOfExpired({ ...message, state, class: kind })
    return outcome.ends ? outcome.reason : [outcome.state, outcome.maybe_sent ?? false]
  }
  assert.deepEqual(expiredTo('leased', 'transactional'), ['queued', false])
  assert.deepEqual(expiredTo('handed_over', 'transactional'), ['queued', true])
  assert.deepEqual(expiredTo('leased', 'marketing'), ['queued', false])
  assert.equal(expiredTo('handed_over', 'marketing'), 'uncertain')
})
