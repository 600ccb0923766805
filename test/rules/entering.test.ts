import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextPlan } from '../../src/messaging/expansion/plan-recurring.ts'
import { checkReentry, earlierEntries, isNewRefusal, refusalRecordedMs } from '../../src/messaging/journeys/reentry.ts'

const nowMs = Date.UTC(2027, 2, 1, 12)
const dayMs = 86_400_000

test('a person enters again when the entry rule allows it, to the millisecond', () => {
  const once = { entries: 1, pending: 0, lastMs: nowMs - dayMs }
  const none = { entries: 0, pending: 0, lastMs: undefined }
  const waits = { entries: 0, pending: 1, lastMs: nowMs - dayMs }
  const cases = [
    ['never', none, nowMs, true],
    ['never', waits, nowMs, false],
    ['always', waits, nowMs, true],
    [{ afterMs: dayMs }, waits, nowMs - 1, false],
    [{ afterMs: dayMs }, waits, nowMs, true],
    ['never', once, nowMs + 1_000 * dayMs, false],
    ['always', once, nowMs, true],
    [{ afterMs: dayMs }, none, nowMs, true],
    [{ afterMs: dayMs }, once, nowMs - 1, false],
    [{ afterMs: dayMs }, once, nowMs, true],
    [{ afterMs: dayMs }, once, nowMs + 1, true],
  ] as const
  for (const [again, before, atMs, may] of cases) {
    assert.equal(checkReentry(again, before, atMs) === undefined, may, JSON.stringify([again, before, atMs]))
  }
  const control = earlierEntries({ entries: 2, last_entered_at: new Date(1), last_entered_control_at: new Date(7) })
  assert.deepEqual(control, { entries: 2, pending: 0, lastMs: 7 })
  assert.deepEqual(earlierEntries(undefined, { count: 2, lastMs: 9 }), { entries: 0, pending: 2, lastMs: 9 })
})

test('the same refusal is recorded once a day', () => {
  const last = { refused: 'already_entered', refused_at: new Date(nowMs) }
  assert.equal(isNewRefusal({ refused: null, refused_at: null }, 'already_entered', nowMs), true)
  assert.equal(isNewRefusal(last, 'already_entered', nowMs + refusalRecordedMs - 1), false)
  assert.equal(isNewRefusal(last, 'already_entered', nowMs + refusalRecordedMs), true)
  assert.equal(isNewRefusal(last, 'not_in_segment', nowMs), true)
})

test('a schedule is planned ten minutes before its next time, and not after its last time', () => {
  const schedule = { at: '09:00', days: [], zone: 'UTC', from: undefined, until: undefined }
  const at = (text: string) => Date.parse(text)
  assert.equal(nextPlan(schedule, 'UTC', nowMs), at('2027-03-02T08:50:00Z'))
  assert.equal(nextPlan({ ...schedule, days: [1] }, 'UTC', nowMs), at('2027-03-08T08:50:00Z'))
  // A local time is planned where it comes first.
  assert.equal(nextPlan({ ...schedule, zone: 'local' }, 'UTC', nowMs), at('2027-03-01T18:50:00Z'))
  assert.equal(nextPlan({ ...schedule, until: '2027-03-01' }, 'UTC', nowMs), undefined)
  // Looked at again before that.
  const soon = nextPlan({ ...schedule, from: '2028-01-01' }, 'UTC', nowMs)!
  assert.ok(soon > nowMs && soon < nowMs + 9 * dayMs)
})
