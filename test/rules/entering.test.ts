import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askedOf, callKey, callsMax, judgeCall } from '../../src/entries/call.ts'
import { beforeOf, isNews, judgeAgain, toldAgainMs } from '../../src/entries/judge.ts'
import { nextPlan } from '../../src/entries/plan.ts'

const nowMs = Date.UTC(2027, 2, 1, 12)
const minuteMs = 60_000
const dayMs = 86_400_000

test('who has entered before enters again as the rule says, to the millisecond', () => {
  const once = { entries: 1, lastMs: nowMs - dayMs }
  const cases = [
    ['never', { entries: 0, lastMs: undefined }, nowMs, true],
    ['never', once, nowMs + 1_000 * dayMs, false],
    ['always', once, nowMs, true],
    [{ afterMs: dayMs }, { entries: 0, lastMs: undefined }, nowMs, true],
    [{ afterMs: dayMs }, once, nowMs - 1, false],
    [{ afterMs: dayMs }, once, nowMs, true],
    [{ afterMs: dayMs }, once, nowMs + 1, true],
  ] as const
  for (const [again, before, atMs, may] of cases) {
    assert.equal(judgeAgain(again, before, atMs) === undefined, may, JSON.stringify([again, before, atMs]))
  }
  const control = beforeOf({ entries: 2, last_entered_at: new Date(1), last_entered_control_at: new Date(7) })
  assert.deepEqual(control, { entries: 2, lastMs: 7 })
})

test('the same refusal is told once a day', () => {
  const told = { refused: 'already_entered', refused_at: new Date(nowMs) }
  assert.equal(isNews({ refused: null, refused_at: null }, 'already_entered', nowMs), true)
  assert.equal(isNews(told, 'already_entered', nowMs + toldAgainMs - 1), false)
  assert.equal(isNews(told, 'already_entered', nowMs + toldAgainMs), true)
  assert.equal(isNews(told, 'not_in_segment', nowMs), true)
})

test('a webhook is over when it was answered, refused for good or called often enough; else it is called again', () => {
  const ends = (answered: Parameters<typeof judgeCall>[0], attempts = 1) => {
    const end = judgeCall(answered, attempts, nowMs)
    return 'ended' in end ? end.ended : end.againMs - nowMs
  }
  for (const status of [200, 204, 302, 399]) assert.equal(ends({ status }), 'sent')
  for (const status of [400, 404, 410]) assert.equal(ends({ status }), 'refused_by_server')
  for (const status of [408, 429, 500, 503]) assert.equal(ends({ status }), minuteMs)
  assert.equal(ends({ refused: 'late', temporary: true }), minuteMs)
  assert.equal(ends({ refused: 'private', temporary: false }), 'refused_by_server')
  const pauses = [1, 4, 16, 64].map((minutes) => minutes * minuteMs)
  assert.deepEqual(
    [1, 2, 3, 4].map((attempts) => ends({ status: 500 }, attempts)),
    pauses,
  )
  assert.equal(ends({ status: 500 }, callsMax), 'expired')
})

test('a webhook says under which key it is called, unless it has one of its own', () => {
  const key = callKey('11111111-0000-4000-8000-000000000001', 'hook 1 ü', 2)
  assert.equal(key, '11111111-0000-4000-8000-000000000001-hook%201%20%C3%BC-2')
  const headers = (own: Record<string, string>) => askedOf({ method: 'POST', headers: own, body: '' }, key).headers
  assert.deepEqual(headers({ a: 'b' }), { a: 'b', 'Idempotency-Key': key })
  assert.deepEqual(headers({ 'idempotency-key': 'own' }), { 'idempotency-key': 'own' })
  assert.equal('body' in askedOf({ method: 'GET', headers: {}, body: 'x' }, key), false)
})

test('a schedule is planned ten minutes before its next time, and no more after its last', () => {
  const schedule = { at: '09:00', days: [], zone: 'UTC', from: undefined, until: undefined }
  const at = (text: string) => Date.parse(text)
  assert.equal(nextPlan(schedule, 'UTC', nowMs), at('2027-03-02T08:50:00Z'))
  assert.equal(nextPlan({ ...schedule, days: [1] }, 'UTC', nowMs), at('2027-03-08T08:50:00Z'))
  // Wherever a local time comes first.
  assert.equal(nextPlan({ ...schedule, zone: 'local' }, 'UTC', nowMs), at('2027-03-01T18:50:00Z'))
  assert.equal(nextPlan({ ...schedule, until: '2027-03-01' }, 'UTC', nowMs), undefined)
  // Looked at again until then.
  const soon = nextPlan({ ...schedule, from: '2028-01-01' }, 'UTC', nowMs)!
  assert.ok(soon > nowMs && soon < nowMs + 9 * dayMs)
})
