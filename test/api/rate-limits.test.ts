import assert from 'node:assert/strict'
import test from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { type RateLimits, rateWindows } from '../../src/base/http/limits.ts'
import { openRateLimiter } from '../../src/base/http/rate-limit.ts'
import { onBothDatabases } from '../support/databases.ts'
import { type Answer, drawDatabases, startService } from '../support/harness.ts'

const asked = { external_ids: ['nobody'], fields_to_export: ['external_id'] }
const names = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset']
const caller = { id: 'key', ip: '192.0.2.1' }
const hourS = rateWindows.per_hour / 1000

function rateOf({ headers }: Answer): (number | undefined)[] {
  return names.map((name) => (headers[name] === undefined ? undefined : Number(headers[name])))
}

/** A machine clock that does not move, just after the start of an hour: no test reaches the end of a window by itself. */
function standingClock() {
  const hourMs = rateWindows.per_hour
  let elapsedMs = Math.floor(Date.now() / hourMs) * hourMs + 100
  return {
    ...systemClock(),
    elapsed: () => elapsedMs,
    advance(ms: number) {
      elapsedMs += ms
    },
  }
}

for (const database of drawDatabases('rate-limits')) {
  test(`exports are limited to 250 a minute, and every answer has the remaining number (${database})`, async () => {
    const clock = standingClock()
    await using service = await startService({ database, clock })
    const first = await service.post('/users/export/ids', asked)
    assert.equal(first.status, 201)
    const [limit, remaining, reset] = rateOf(first)
    assert.deepEqual([limit, remaining], [250, 249])
    assert.equal(reset! * 1000, clock.elapsed() - 100 + rateWindows.per_minute)
    const others = await Promise.all(Array.from({ length: 254 }, () => service.post('/users/export/ids', asked)))
    assert.equal(others.filter(({ status }) => status === 201).length, 249)
    const refused = others.filter(({ status }) => status === 429)
    assert.equal(refused.length, 5)
    for (const answer of refused) {
      assert.deepEqual(answer.body, { message: 'Rate limit exceeded' })
      assert.deepEqual(rateOf(answer), [250, 0, reset])
      const waitS = Number(answer.headers['retry-after'])
      assert.ok(Number.isInteger(waitS) && waitS >= 1 && waitS <= 60)
    }
  })

  test(`an invalid request counts, and a request without permission does not (${database})`, async () => {
    const workspace = { settings: { rate_limits: { export_ids: { per_hour: 10 } } } }
    await using service = await startService({ database, workspace, clock: standingClock() })
    const unauthenticated = await service.post('/users/export/ids', asked, { key: 'nobody' })
    assert.deepEqual([unauthenticated.status, rateOf(unauthenticated)], [401, [undefined, undefined, undefined]])
    const lesser = await service.post('/users/export/ids', asked, { key: await service.key(['users.merge']) })
    assert.deepEqual([lesser.status, rateOf(lesser)], [403, [undefined, undefined, undefined]])
    const wrong = await service.post('/users/export/ids', '{')
    assert.deepEqual([wrong.status, rateOf(wrong).slice(0, 2)], [400, [10, 9]])
    assert.equal(rateOf(wrong)[2]! % hourS, 0)
  })
}

test('endpoints without a limit have no rate headers; a setting gives them a limit in their own error form', async () => {
  await using service = await startService({ clock: standingClock() })
  const track = () => service.post('/users/track', { attributes: [{ external_id: 'a' }] })
  assert.deepEqual(rateOf(await track()), [undefined, undefined, undefined])
  await service.admin('PATCH', '/admin/settings', { rate_limits: { track: { per_hour: 3, burst_per_second: 1000 } } })
  const answers = [await track(), await track(), await track(), await track()]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [201, 201, 201, 429],
  )
  assert.deepEqual(
    answers.map((answer) => rateOf(answer).slice(0, 2)),
    [
      [3, 2],
      [3, 1],
      [3, 0],
      [3, 0],
    ],
  )
  assert.deepEqual(answers[3]!.body, { message: 'Rate limit exceeded' })
  await service.admin('PATCH', '/admin/settings', { rate_limits: { track: 'unlimited' } })
  assert.equal((await track()).status, 201)
})

test('a request above the limit of a second does not count for the hour', async () => {
  const workspace = { settings: { rate_limits: { track: { per_hour: 1000, burst_per_second: 2 } } } }
  const clock = standingClock()
  await using service = await startService({ workspace, clock })
  const track = () => service.post('/users/track', { attributes: [{ external_id: 'a' }] })
  const answers = await Promise.all(Array.from({ length: 12 }, track))
  const refused = answers.filter(({ status }) => status === 429)
  assert.equal(refused.length, 10)
  for (const answer of refused) {
    assert.equal(answer.headers['retry-after'], '1')
    assert.deepEqual(rateOf(answer).slice(0, 2), [2, 0])
  }
  clock.advance(1_000)
  const later = await track()
  assert.deepEqual([later.status, ...rateOf(later).slice(0, 2)], [201, 1000, 997])
})

onBothDatabases(
  'processes on one database share small limits exactly, and large ones up to the last request',
  async (open) => {
    const dbs = await open.processes(3)
    const limits: RateLimits = { export_ids: { per_hour: 40 }, track: { per_hour: 2000 } }
    const processes = dbs.map((db) => openRateLimiter({ db, clock: standingClock(), limitsOf: () => limits }))
    for (const [name, size] of [
      ['export_ids', 40],
      ['track', 2000],
    ] as const) {
      const takes = Array.from({ length: size + 100 }, (_, i) => processes[i % processes.length]!.take(1, name, caller))
      const outcomes = await Promise.allSettled(takes)
      const granted = outcomes.filter(({ status }) => status === 'fulfilled').length
      // Requests that were leased to an idle process stay unused.
      const unused = name === 'track' ? (processes.length - 1) * (size / 100) : 0
      assert.ok(granted <= size && granted >= size - unused, `${granted} of ${size}`)
    }
    const other = await processes[0]!.take(2, 'export_ids', caller)
    assert.equal(other?.['X-RateLimit-Remaining'], '39')
  },
)

onBothDatabases('old windows are deleted', async (open) => {
  const db = await open()
  const real = systemClock()
  let laterMs = 0
  const clock = { ...real, elapsed: () => real.elapsed() + laterMs }
  const rates = openRateLimiter({ db, clock, limitsOf: () => ({}) })
  for (let i = 0; i < 5; i++) {
    await rates.take(1, 'export_ids', caller)
    laterMs += rateWindows.per_minute
  }
  const { sql } = await import('../../src/base/db/sql.ts')
  assert.equal((await db.query(sql`select 1 from rate_window`)).length, 2)
})
