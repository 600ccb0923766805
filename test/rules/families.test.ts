import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endStateOf } from '../../src/messaging/ledger/end-states.ts'
import { families, familyOf } from '../../src/messaging/ledger/families.ts'
import { type Reason, reasons } from '../../src/messaging/ledger/reasons.ts'

const all = Object.keys(reasons) as Reason[]

test('every family but the one that waits has a reason', () => {
  assert.deepEqual(new Set([...all.map(familyOf), 'waiting']), new Set(families))
})

test('what ends as failed or missed is shown as failed, and what a rule suppressed is not', () => {
  for (const reason of all) {
    if (endStateOf(reason) === 'failed') assert.equal(familyOf(reason), 'failed', reason)
    if (endStateOf(reason) === 'cancelled') assert.equal(familyOf(reason), 'held', reason)
  }
  assert.deepEqual((['missed', 'local_time_passed', 'no_address', 'frequency_capped'] as const).map(familyOf), [
    'failed',
    'held',
    'failed',
    'held',
  ])
})
