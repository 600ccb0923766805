import assert from 'node:assert/strict'
import test from 'node:test'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import type { Sql } from '../../src/base/db/sql.ts'
import type { Exchange } from '../../src/base/http/observe.ts'
import { columnsMax, columnsOf, stepOf } from '../../src/workspace/traffic/read-traffic.ts'
import { rowsMax, Traffic } from '../../src/workspace/traffic/traffic.ts'
import { quiet } from '../support/databases.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const actor = { kind: 'key', id: 'k', name: 'Key', from: { ip: '203.0.113.7', request_id: 'r' } } as const

/** A count of requests over a database that takes a number of rows, or refuses all. */
function counting() {
  const bench = { elapsedMs: 10 * hourMs, written: 0, statements: 0, isAway: false }
  const db = {
    async query({ values }: Sql) {
      if (bench.isAway) throw new Error('away')
      bench.statements++
      // The length of a binary array is its fourth word.
      bench.written += values.find((value) => Buffer.isBuffer(value))!.readInt32BE(12)
      return []
    },
  } as unknown as Db
  const clock = { ...virtualClock(0), elapsed: () => bench.elapsedMs }
  const traffic = new Traffic({ db, clock, log: quiet, findWorkspace: () => 1 })
  const answer = (path: string, more: Partial<Exchange> = {}) =>
    traffic.observe({
      route: { permission: 'users.track', method: 'POST', path },
      params: {},
      status: 201,
      failure: undefined,
      caller: { workspace_id: 1, actor },
      from: actor.from,
      startedMs: bench.elapsedMs,
      method: 'POST',
      url: path,
      query: {},
      headers: {},
      sent: undefined,
      reply: { headers: {}, body: '' },
      ...more,
    } satisfies Exchange)
  return { bench, traffic, answer }
}

test('requests are counted by minute, endpoint and class, and only what has changed is written', async () => {
  const { bench, traffic, answer } = counting()
  answer('/users/track')
  answer('/users/track', { status: 202 })
  answer('/users/track', { status: 400 })
  answer('/users/track', { startedMs: bench.elapsedMs - minuteMs })
  answer('/users/merge')
  await traffic.nextTurn()
  assert.equal(bench.written, 4)
  answer('/users/merge')
  await traffic.nextTurn()
  assert.equal(bench.written, 5)
  await traffic.nextTurn()
  assert.deepEqual([bench.written, bench.statements], [5, 2])
  await traffic.close()
})

test('callers without a key, and what the dashboard reads, are not counted', async () => {
  const { bench, traffic, answer } = counting()
  answer('/users/track', { status: 401, caller: undefined })
  answer('/admin/people', {
    route: { permission: 'admin', ability: 'people.read', method: 'GET', path: '/p' },
    method: 'GET',
  })
  answer('/scim/v2/Users', { route: { permission: 'scim', method: 'GET', path: '/scim/v2/Users' } })
  await traffic.close()
  assert.equal(bench.written, 0)
})

test('what could not be written is written later, also when the service ends', async () => {
  const { bench, traffic, answer } = counting()
  bench.isAway = true
  answer('/users/track')
  await traffic.nextTurn()
  assert.deepEqual(traffic.failing(), ['traffic.write'])
  bench.isAway = false
  answer('/users/merge')
  await traffic.close()
  assert.equal(bench.written, 2)
})

test('so many rows are kept in memory, and no more', async () => {
  for (const [rows, written] of [
    [rowsMax - 1, rowsMax - 1],
    [rowsMax, rowsMax],
    [rowsMax + 1, rowsMax],
  ] as const) {
    const { bench, traffic, answer } = counting()
    for (let i = 0; i < rows; i++) answer(`/${i}`)
    while (bench.written < written) await traffic.nextTurn()
    await traffic.close()
    assert.equal(bench.written, written)
  }
})

test('a row is forgotten when no request of its minute can be answered any more', async () => {
  const { bench, traffic, answer } = counting()
  for (let i = 0; i < rowsMax; i++) answer(`/${i}`)
  while (bench.written < rowsMax) await traffic.nextTurn()
  bench.elapsedMs += 12 * minuteMs
  await traffic.nextTurn()
  answer('/new')
  await traffic.close()
  assert.equal(bench.written, rowsMax + 1)
})

test('a chart has the shortest steps of which sixty are enough', () => {
  for (const [hours, stepMs] of [
    [1, minuteMs],
    [2, hourMs],
    [24, hourMs],
    [columnsMax, hourMs],
    [columnsMax + 1, 3 * hourMs],
    [168, 3 * hourMs],
  ] as const) {
    assert.equal(stepOf(hours), stepMs, `${hours} hours`)
    const columns = columnsOf(hours, 1_000_000 * hourMs + 5, stepMs)
    assert.equal(columns.length, Math.ceil((hours * hourMs) / stepMs))
    assert.ok(columns.length <= columnsMax)
  }
  assert.deepEqual(columnsOf(2, 10 * hourMs + 59 * minuteMs, hourMs), [9 * hourMs, 10 * hourMs])
})
