import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { listDueSends } from '../../src/messaging/statuses/status-store.ts'
import { onBothDatabases } from '../support/databases.ts'

const nowMs = Date.parse('2026-08-01')

/** Stores sends of a workspace that are due one millisecond after the other. Returns their ids. */
async function store(db: Db, workspace_id: number, count: number, firstMs: number): Promise<string[]> {
  const ids = Array.from({ length: count }, () => randomUUID())
  await db.query(sql`
    insert into transactional_send (dispatch_id, workspace_id, campaign_id, is_current, expires_at, accepted_at, due_at)
    select w.id::uuid, ${workspace_id}::int4, 'c', false, ${new Date(nowMs)}::timestamptz, ${new Date(nowMs)}::timestamptz,
      ${new Date(firstMs)}::timestamptz + w.n * interval '1 millisecond'
    from unnest(string_to_array(${ids.join(',')}, ',')) with ordinality w(id, n)`)
  return ids
}

onBothDatabases('due sends are listed a few of each workspace, whatever one of them has waiting', async (open) => {
  const db = await open()
  const first = await store(db, 1, 300, nowMs - 10_000)
  const second = await store(db, 2, 3, nowMs - 1_000)
  await store(db, 3, 3, nowMs + 1_000)
  await store(db, 4, 3, nowMs - 20_000)
  const list = async (limit: number) => {
    const due = await listDueSends(db, [1, 2, 3], 8, limit, nowMs)
    return due.map(({ dispatch_id }) => dispatch_id)
  }
  assert.deepEqual(await list(256), [...first.slice(0, 8), ...second])
  assert.deepEqual(await list(9), [...first.slice(0, 8), ...second.slice(0, 1)])
})

onBothDatabases('the sends of a workspace are found by its own index', async (open) => {
  const db = await open()
  await store(db, 1, 2_000, nowMs - 10_000)
  await store(db, 2, 3, nowMs - 1_000)
  await db.execute('analyze transactional_send')
  const plan = await db.query<{ 'QUERY PLAN': string }>(sql`
    explain select dispatch_id from transactional_send t
    where t.workspace_id = 2 and t.due_at <= ${new Date(nowMs)}::timestamptz order by t.due_at limit 8`)
  assert.match(JSON.stringify(plan), /transactional_send_due_of_workspace/)
})
