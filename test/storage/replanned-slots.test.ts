import assert from 'node:assert/strict'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { openExpander } from '../../src/messaging/expansion/expand.ts'
import { replanSlots } from '../../src/messaging/expansion/replan-slots.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { onBothDatabases } from '../support/databases.ts'
import { expandServices } from '../support/expansion.ts'
import { dispatchId, insert, type Row } from './crowd.ts'

const nowMs = Date.UTC(2026, 5, 1, 12)
const hourMs = 3_600_000
const clock = virtualClock(nowMs)
const hour = (n: number) => new Date(nowMs + n * hourMs).toISOString()
/** Slots as planned by other rules, an hour later than they should be. */
const wrong = hour(25)
const local = '2026-06-02T12:00:00.000'

async function order(db: Db, n: number, schedule: object | null, slots: readonly Row[]): Promise<void> {
  const dispatch_id = dispatchId(n)
  const times = { created_at: hour(-1), updated_at: hour(-1), unsettled: false }
  const sending = { recipients: [], broadcast: false }
  await insert(db, 'dispatch', [
    { dispatch_id, workspace_id: 1, class: 'marketing', state: 'active', sending, schedule, ...times },
  ])
  const blank = { workspace_id: 1, class: 'marketing', state: 'waiting', due_at: wrong, expanded: 0, unknown: 0 }
  await insert(
    db,
    'dispatch_slot',
    slots.map((slot) => ({ dispatch_id, attempts: 0, ...blank, ...slot })),
  )
}

async function dues(db: Db): Promise<string[]> {
  const rows = await db.query<{ zone: string; state: string; due_at: Date }>(sql`
    select zone, state, due_at from dispatch_slot order by dispatch_id, zone collate "C", state`)
  return rows.map(({ zone, state, due_at }) => `${zone} ${state} ${(due_at.getTime() - nowMs) / hourMs}`)
}

onBothDatabases('future local times are planned again after the rules of time zones have changed', async (open) => {
  const db = await open()
  await insertInstallation(db, Buffer.alloc(32), new Date(nowMs))
  await insert(db, 'workspace', [
    { workspace_id: 1, id: 'one', name: 'One', settings: { time_zone: 'Asia/Tokyo' }, created_at: hour(-1) },
  ])
  const schedule = { time: local, in_local_time: true, at_optimal_time: false, local, at_ms: nowMs + 24 * hourMs }
  await order(db, 1, schedule, [
    { zone: '*' },
    { zone: '-', state: 'held' },
    { zone: 'Africa/Cairo', state: 'running', lease: null, leased_until: hour(1) },
    { zone: 'Asia/Kolkata', state: 'done' },
    { zone: 'Europe/Berlin', after_id: 7 },
    { zone: 'Europe/Lisbon', reason: 'local_time_passed' },
    { zone: 'Europe/Paris' },
    { zone: 'Nowhere/Land' },
    { zone: 'UTC', due_at: hour(-1) },
  ])
  await order(db, 2, { ...schedule, in_local_time: false }, [{ zone: '' }])
  await order(db, 3, null, [{ zone: '' }])
  // Eleven o'clock in Samoa is in the past by the new rules.
  await order(db, 4, { ...schedule, local: '2026-06-01T10:30:00.000' }, [{ zone: 'UTC', due_at: hour(0.5) }])
  const before = await dues(db)
  const expected = before.map(
    (text) =>
      ({ '* waiting 25': '* waiting 37', '- held 25': '- held 15', 'UTC waiting 0.5': 'UTC waiting 0' })[text] ??
      text.replace(
        /^(Europe\/Paris|Nowhere\/Land) waiting 25$/,
        (_, zone) => `${zone} waiting ${zone[0] === 'E' ? 22 : 15}`,
      ),
  )
  await replanSlots({ db, clock }, '2026a')
  assert.deepEqual(await dues(db), expected)
  await db.query(sql`update dispatch_slot set due_at = ${wrong}::timestamptz where zone = 'Europe/Paris'`)
  await replanSlots({ db, clock }, '2026a')
  assert.ok((await dues(db)).includes('Europe/Paris waiting 25'), 'slots were planned again under the same rules')
  await db.query(sql`delete from dispatch_slot where due_at < ${wrong}::timestamptz`)
  const expander = openExpander(expandServices(db, clock))
  await expander.nextTurn()
  await expander.close()
  assert.ok((await dues(db)).includes('Europe/Paris waiting 22'), 'a worker process plans again at its start')
  const [row] = await db.query(sql`select zone_rules from installation`)
  assert.deepEqual(row, { zone_rules: process.versions.tz })
})
