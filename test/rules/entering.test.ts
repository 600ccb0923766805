import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nextPlan } from '../../src/messaging/expansion/plan-recurring.ts'
import { checkReentry, earlierEntries, isNewRefusal, refusalRecordedMs } from '../../src/messaging/journeys/reentry.ts'
import {
  callKey,
  callRequest,
  callsAtOnce,
  callsMax,
  callsOfWorkspaceMax,
  outcomeOfAnswer,
  shareCalls,
  webhookTexts,
} from '../../src/messaging/journeys/webhook-call.ts'

const nowMs = Date.UTC(2027, 2, 1, 12)
const minuteMs = 60_000
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

test('a webhook ends with an answer, a permanent refusal or the last attempt; else it is called again', () => {
  const ends = (answered: Parameters<typeof outcomeOfAnswer>[0], attempts = 1) => {
    const end = outcomeOfAnswer(answered, attempts, nowMs)
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

test('a webhook call has an idempotency key, and texts cannot break the JSON of its body', () => {
  const key = callKey('11111111-0000-4000-8000-000000000001', 'hook 1 ü', 2)
  assert.equal(key, '11111111-0000-4000-8000-000000000001-hook%201%20%C3%BC-2')
  const post = { url: 'https://example.com', method: 'POST', headers: {} } as const
  const requestOf = (step: Parameters<typeof callRequest>[0]) => {
    const texts = Object.entries(webhookTexts({ ...post, ...step })).map(([name, text]) => [
      name,
      text.replace('?', '"'),
    ])
    return callRequest(step, Object.fromEntries(texts), key)
  }
  const text = requestOf({ ...post, headers: { a: '?' }, body: '?' })
  assert.deepEqual([text.headers, text.body], [{ a: '"', 'Idempotency-Key': key }, '"'])
  const json = requestOf({ ...post, body: { a: ['?', 1, null], b: '?', c: {} } })
  assert.equal(json.body, '{"a":["\\"",1,null],"b":"\\"","c":{}}')
  assert.deepEqual(json.headers, { 'Content-Type': 'application/json', 'Idempotency-Key': key })
  const typed = requestOf({ ...post, headers: { 'content-type': 'text/x' }, body: [] })
  assert.deepEqual([typed.headers, typed.body], [{ 'content-type': 'text/x', 'Idempotency-Key': key }, '[]'])
  assert.equal('body' in requestOf({ ...post, method: 'GET', body: 'x' }), false)
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

test('webhooks that are called at once are shared evenly between workspaces, up to what each has', () => {
  const lanes = [1, 2, 3].map((workspace_id) => ({ workspace_id, class: 'marketing' }) as const)
  const shares = (underway: Readonly<Record<number, number>>, free: number, due = lanes) => {
    const shared = shareCalls(due, (workspace_id) => underway[workspace_id] ?? 0, free, 0)
    return shared.map(({ workspace_id, count }) => [workspace_id, count])
  }
  const all = callsOfWorkspaceMax
  assert.deepEqual(shares({}, callsAtOnce, lanes.slice(0, 1)), [[1, all]])
  assert.deepEqual(shares({ 1: all - 1 }, callsAtOnce, lanes.slice(0, 2)), [
    [1, 1],
    [2, all],
  ])
  assert.deepEqual(shares({ 1: all }, 2), [
    [2, 1],
    [3, 1],
  ])
  assert.deepEqual(shares({}, 1), [[1, 1]])
  assert.deepEqual(shares({}, 0), [])
})
