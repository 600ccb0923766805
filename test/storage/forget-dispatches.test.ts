import assert from 'node:assert/strict'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { forgetOrders } from '../../src/messaging/delivery/forget-orders.ts'
import { onBothDatabases } from '../support/databases.ts'
import { many } from '../support/people.ts'
import { dispatchId, insert, type Row, rowsOf } from './crowd.ts'

const dayMs = 86_400_000
const startMs = Date.UTC(2026, 0, 1)
const day = (n: number) => new Date(startMs + n * dayMs).toISOString()
const clock = virtualClock(startMs + 40 * dayMs)
const settings = { ledger_retention: 'P30D' }
const going = new AbortController().signal

async function dispatch(
  db: Db,
  n: number,
  at: number,
  slots: readonly string[],
  messages: readonly Row[],
  workspace_id = 1,
) {
  const dispatch_id = dispatchId(n)
  const created = { created_at: day(at), updated_at: day(at), unsettled: false }
  await insert(db, 'dispatch', [
    { dispatch_id, workspace_id, class: 'marketing', state: 'active', sending: { broadcast: true }, ...created },
  ])
  await insert(
    db,
    'dispatch_slot',
    slots.map((state, i) => {
      const counts = { class: 'marketing', expanded: 0, unknown: 0, attempts: 0 }
      return { dispatch_id, zone: String(i), workspace_id, due_at: day(at), state, ...counts }
    }),
  )
  await insert(
    db,
    'message',
    messages.map((more, i) => ({
      ...{ message_id: n * 10_000 + i, profile_id: n * 10_000 + i, bucket: i % 4096, workspace_id, cause: dispatch_id },
      ...{
        step: '',
        visit: 0,
        channel: 'email',
        class: 'marketing',
        state: 'accepted',
        reason: 'sent',
        attempts: 1,
        rates_granted: 0,
        maybe_sent: false,
        crashes: 0,
      },
      ...{ planned_at: day(at), due_at: day(at), ended_at: day(at), ...more },
    })),
  )
  await insert(db, 'deleted_messages', [{ cause: dispatch_id, channel: 'email', reason: 'deleted', count: 1 }])
}

async function left(db: Db): Promise<unknown> {
  const rows = await db.query<{ text: string }>(sql`
    select concat_ws(' ', right(d.dispatch_id::text, 1), (select count(*) from message m where m.cause = d.dispatch_id),
      (select count(*) from deleted_messages m where m.cause = d.dispatch_id),
      (select count(*) from dispatch_slot s where s.dispatch_id = d.dispatch_id)) as text
    from dispatch d order by dispatch_id`)
  return rows.map(({ text }) => text)
}

onBothDatabases('old dispatches are deleted with their old messages, and open ones never', async (open) => {
  const db = await open()
  await dispatch(
    db,
    1,
    9,
    ['done'],
    many(2_001, () => ({})),
  )
  await dispatch(db, 2, 10, ['done'], [{}])
  await dispatch(db, 3, 9, ['done', 'waiting'], [{}])
  await dispatch(db, 4, 9, ['done'], [{}, { state: 'held', reason: null, ended_at: null }])
  await dispatch(db, 5, 9, ['done'], [{}, { ended_at: day(39) }])
  await dispatch(db, 6, 9, ['missed', 'cancelled'], [])
  await dispatch(db, 7, 9, ['done'], [{}], 2)
  const seen = { kind: 'opened', link: -1, first_at: day(9), last_at: day(39), count: 1 }
  await insert(db, 'engagement', [
    { bucket: 0, profile_id: 10_000, message_id: 10_000, ...seen },
    { bucket: 0, profile_id: 20_000, message_id: 20_000, ...seen },
  ])
  const workspaces = [
    { workspace_id: 1, settings },
    { workspace_id: 2, settings: { ledger_retention: 'P1Y' } },
  ]
  await forgetOrders(db, clock, workspaces, going)
  assert.deepEqual(await left(db), ['2 1 1 1', '3 1 1 2', '4 1 1 1', '5 1 1 1', '7 1 1 1'])
  assert.deepEqual(
    (await rowsOf(db, 'engagement')).map(({ message_id }) => message_id),
    ['20000'],
  )
  await forgetOrders(db, clock, workspaces, going)
  assert.deepEqual(await left(db), ['2 1 1 1', '3 1 1 2', '4 1 1 1', '5 1 1 1', '7 1 1 1'])
})

onBothDatabases('many dispatches are checked page by page, and a stop ends the check', async (open) => {
  const db = await open()
  const rows = (from: number, slot: string) =>
    many(60, (i) => ({ dispatch_id: dispatchId(from + i), workspace_id: 1, slot, created_at: day(from / 1_000) }))
  const all = [...rows(1_000, 'waiting'), ...rows(2_000, 'done')]
  await insert(
    db,
    'dispatch',
    all.map(({ slot: _, ...each }) => ({
      ...{ class: 'marketing', state: 'active', sending: {}, updated_at: day(1), unsettled: false, ...each },
    })),
  )
  await insert(
    db,
    'dispatch_slot',
    all.map(({ dispatch_id, slot }) => {
      const counts = { class: 'marketing', expanded: 0, unknown: 0, attempts: 0 }
      return { dispatch_id, zone: '', workspace_id: 1, due_at: day(1), state: slot, ...counts }
    }),
  )
  await forgetOrders(db, clock, [{ workspace_id: 1, settings }], AbortSignal.abort())
  assert.equal((await rowsOf(db, 'dispatch')).length, 120)
  await forgetOrders(db, clock, [{ workspace_id: 1, settings }], going)
  assert.equal((await rowsOf(db, 'dispatch')).length, 60)
})
