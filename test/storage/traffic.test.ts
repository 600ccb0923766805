import assert from 'node:assert/strict'
import type { Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { importTraffic } from '../../src/workspace/traffic/import-traffic.ts'
import { hoursKeptMs, keepTraffic, minutesKeptMs } from '../../src/workspace/traffic/keep-traffic.ts'
import { columnsMax, readTraffic, readUpdatesAMinute } from '../../src/workspace/traffic/read-traffic.ts'
import { type MinuteRow, writeMinutes } from '../../src/workspace/traffic/traffic-store.ts'
import { onBothDatabases } from '../support/databases.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** 1 January 2030, 12:30 UTC. */
const nowMs = Date.UTC(2030, 0, 1, 12, 30)

function row(more: Partial<MinuteRow> = {}): MinuteRow {
  return { workspace_id: 1, minuteMs: nowMs, route: 'POST /users/track', class: 2, count: 1, items: 2, ms: 3, ...more }
}

async function countRows(tx: Tx): Promise<{ minutes: number; hours: number }> {
  const [counts] = await tx.query<{ minutes: number; hours: number }>(sql`
    select (select count(*) from traffic_minute)::int4 as minutes, (select count(*) from traffic_hour)::int4 as hours`)
  return counts!
}

onBothDatabases('writing a row again replaces its sums, and those of another process are added', async (open) => {
  const db = await open()
  await writeMinutes(db, 7, [row(), row({ class: 4, items: 0 }), row({ workspace_id: 2 })])
  await writeMinutes(db, 7, [row({ count: 5, items: 10, ms: 20 })])
  await writeMinutes(db, 8, [
    row({ count: 2, items: 4, ms: 8 }),
    row({ class: 5, route: 'GET /segments/list', items: 0 }),
  ])
  const { columns, routes, ...sums } = await readTraffic(db, 1, 1, nowMs + 1)
  assert.deepEqual(sums, { stepMs: minuteMs, ok: 7, refused: 1, failed: 1, updates: 14 })
  assert.deepEqual(columns.at(-1), { at: '2030-01-01T12:30:00.000Z', ok: 7, refused: 1, failed: 1, updates: 14 })
  assert.equal(columns.length, columnsMax)
  assert.deepEqual(routes, [
    { route: 'POST /users/track', count: 8, refused: 1, failed: 0, items: 14, mean_ms: 31 / 8 },
    { route: 'GET /segments/list', count: 1, refused: 0, failed: 1, items: 0, mean_ms: 3 },
  ])
})

onBothDatabases('longer times are read from hours, and from minutes where the hours end', async (open) => {
  const db = await open()
  const clock = { elapsed: () => nowMs }
  await writeMinutes(db, 7, [
    row({ minuteMs: nowMs - 24 * hourMs, count: 100 }),
    row({ minuteMs: nowMs - 2 * hourMs, count: 10 }),
    row({ minuteMs: nowMs - 2 * hourMs + minuteMs, count: 20 }),
    row({ minuteMs: nowMs }),
  ])
  const read = async (hours: number) => (await readTraffic(db, 1, hours, nowMs)).ok
  const before = [await read(1), await read(24), await read(168)]
  const keep = keepTraffic(db, clock)
  await keep()
  await keep()
  assert.deepEqual([await read(1), await read(24), await read(168)], before)
  assert.deepEqual(before, [1, 31, 131])
  assert.deepEqual(await countRows(db), { minutes: 4, hours: 2 })
  // A process that could not write in time does so now.
  await writeMinutes(db, 8, [row({ minuteMs: nowMs - 1 * hourMs, count: 1_000 })])
  await keep()
  assert.equal(await read(24), 1_031)
  const { columns } = await readTraffic(db, 1, 24, nowMs)
  assert.deepEqual(
    columns.filter(({ ok }) => ok > 0).map(({ at, ok }) => [at.slice(11, 16), ok]),
    [
      ['10:00', 30],
      ['11:00', 1_000],
      ['12:00', 1],
    ],
  )
})

onBothDatabases('minutes are kept for two days and hours for ninety', async (open) => {
  const db = await open()
  const hour = Math.floor(nowMs / hourMs) * hourMs
  const firstMinute = hour - minutesKeptMs
  await writeMinutes(db, 7, [row({ minuteMs: firstMinute - minuteMs }), row({ minuteMs: firstMinute })])
  const hourRow = (ms: number) => sql`
    insert into traffic_hour (workspace_id, hour, route, class, count, items, ms)
    values (1, ${new Date(ms).toISOString()}::timestamptz, 'r', 2, 1, 1, 1)`
  await db.query(hourRow(hour - hoursKeptMs - hourMs))
  await db.query(hourRow(hour - hoursKeptMs))
  await keepTraffic(db, { elapsed: () => nowMs })()
  assert.deepEqual(await countRows(db), { minutes: 1, hours: 1 })
})

onBothDatabases('a rate is the mean of the last whole minutes', async (open) => {
  const db = await open()
  const whole = [0, 1, 2, 3, 4].map((i) => row({ minuteMs: nowMs - (i + 1) * minuteMs, items: 10 * i }))
  await writeMinutes(db, 7, [...whole, row({ items: 1_000 }), row({ minuteMs: nowMs - 6 * minuteMs, items: 1_000 })])
  assert.equal(await readUpdatesAMinute(db, 1, nowMs + 59_999), 20)
  assert.equal(await readUpdatesAMinute(db, 2, nowMs), 0)
})

onBothDatabases('requests of the past are counted by hour, and the last ones by minute, once', async (open) => {
  const db = await open()
  const past = (minutesAgo: number) => {
    return { atMs: nowMs - minutesAgo * minuteMs + 7, route: 'POST /users/track', class: 2, items: 3, ms: 4 }
  }
  await importTraffic(db, 1, [past(0), past(1), past(40), past(25 * 60), past(25 * 60)], nowMs)
  const read = async (hours: number) => (await readTraffic(db, 1, hours, nowMs)).ok
  assert.deepEqual([await read(1), await read(24), await read(168)], [3, 3, 5])
  await keepTraffic(db, { elapsed: () => nowMs })()
  assert.deepEqual([await read(1), await read(24), await read(168)], [3, 3, 5])
})
