import assert from 'node:assert/strict'
import test from 'node:test'
import { failuresMax, openBreaker } from '../../src/messaging/delivery/breaker.ts'
import { retriedForMs, retryAt, retryPauseMs } from '../../src/messaging/delivery/retry.ts'
import type { RetriedMessage } from '../../src/messaging/messages/retried-message.ts'

const hourMs = 3_600_000
const plannedMs = Date.UTC(2027, 0, 1)
const tried: RetriedMessage = { message_id: '42', plannedMs, attempts: 1 }

test('a deferred mail waits 15 minutes, then twice as long each time, plus at most a quarter', () => {
  for (let attempts = 1; attempts <= 6; attempts++) {
    const waitedMs = retryAt({ ...tried, attempts }, 'deferred', plannedMs)! - plannedMs
    const leastMs = retryPauseMs.deferred * 2 ** (attempts - 1)
    assert.ok(waitedMs >= leastMs && waitedMs <= leastMs * 1.25, `${attempts}: ${waitedMs}`)
  }
})

test('mails that were deferred together are retried at different times, and the time of each mail is stable', () => {
  const times = Array.from({ length: 1_000 }, (_, i) =>
    retryAt({ ...tried, message_id: `${i}` }, 'deferred', plannedMs),
  )
  assert.deepEqual(
    times,
    times.map((_, i) => retryAt({ ...tried, message_id: `${i}` }, 'deferred', plannedMs)),
  )
  assert.ok(new Set(times).size > 900)
})

test('a mail is tried for 72 hours, the last time at their end, with few attempts', () => {
  for (const kind of ['deferred', 'unreached', 'throttled'] as const) {
    let nowMs = plannedMs
    let times = 0
    for (let attempts = 1; ; attempts++) {
      const nextMs = retryAt({ ...tried, attempts: kind === 'throttled' ? 0 : attempts }, kind, nowMs)
      if (nextMs === undefined) break
      assert.ok(nextMs > nowMs)
      nowMs = nextMs
      times++
    }
    assert.equal(nowMs, plannedMs + retriedForMs, kind)
    assert.ok(times <= (kind === 'throttled' ? retriedForMs / retryPauseMs.throttled : 20), `${kind}: ${times}`)
  }
  assert.equal(retryAt(tried, 'deferred', plannedMs + retriedForMs - 1), plannedMs + retriedForMs)
  assert.equal(retryAt(tried, 'deferred', plannedMs + retriedForMs), undefined)
  assert.equal(retryAt(tried, 'deferred', plannedMs + retriedForMs + hourMs), undefined)
})

test('the breaker opens after enough failures in a row, then allows one attempt, and closes after a success', () => {
  let nowMs = 0
  const breaker = openBreaker(() => nowMs)
  for (let i = 1; i < failuresMax; i++) breaker.record('refused')
  breaker.record(undefined)
  for (let i = 1; i < failuresMax; i++) breaker.record('refused')
  assert.equal(breaker.allowed(), Number.POSITIVE_INFINITY)
  for (let i = 0; i < 4; i++) breaker.record('refused')
  assert.equal(breaker.allowed(), 0)
  let pausesMs = ''
  for (let i = 0; i < 9; i++) {
    const fromMs = nowMs
    while (breaker.allowed() === 0) nowMs += 500
    assert.equal(breaker.allowed(), 1)
    pausesMs += `${(nowMs - fromMs) / 1000} `
    breaker.record('refused')
  }
  assert.equal(pausesMs, '1 2 4 8 16 32 60 60 60 ')
  nowMs += 60_000
  breaker.record(undefined)
  assert.equal(breaker.allowed(), Number.POSITIVE_INFINITY)
})
