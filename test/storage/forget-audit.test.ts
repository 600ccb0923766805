import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { forgetAudit, forgetKind } from '../../src/workspace/audit/forget.ts'
import { lendDatabase } from '../servers/spare.ts'
import { databases } from '../support/harness.ts'

const never = new AbortController().signal
const forever = 'P100Y'

async function insertRows(db: Db, kind: string, count: number, daysAgo: number, nowMs: number): Promise<void> {
  await db.query(sql`
    insert into audit (kind, time, actor_kind, actor_id, actor_name, ip, request_id, action, target_kind, target_id)
    select ${kind}, ${new Date(nowMs - daysAgo * 86_400_000).toISOString()}::timestamptz, 'anonymous', '', '', '', '', 'some.action', '', ''
    from generate_series(1, ${count}::int)`)
}

async function countsOf(db: Db): Promise<Record<string, number>> {
  const rows = await db.query<{ kind: string; count: number }>(sql`
    select kind, count(*)::int as count from audit group by kind`)
  return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]))
}

for (const database of databases) {
  describe(`forgetting audit rows (${database})`, () => {
    test('each kind is kept for its own time', async () => {
      const { db } = await lendDatabase(database)
      const clock = createClock('system')
      for (const daysAgo of [800, 100, 40, 10, 0]) {
        for (const kind of ['change', 'access', 'refusal']) await insertRows(db, kind, 1, daysAgo, clock.now())
      }
      await forgetAudit(db, clock, 'P2Y', never)
      assert.deepEqual(await countsOf(db), { change: 4, access: 3, refusal: 2 })
      await forgetAudit(db, clock, 'P20D', never)
      assert.deepEqual(await countsOf(db), { change: 2, access: 3, refusal: 2 })
      await forgetAudit(db, clock, 'P9999Y', never)
      assert.deepEqual(await countsOf(db), { change: 2, access: 3, refusal: 2 })
      await db.close()
    })

    test('the newest rows of a kind are kept, up to its limit, and other kinds are not touched', async () => {
      const { db } = await lendDatabase(database)
      const clock = createClock('system')
      await insertRows(db, 'change', 20, 0, clock.now())
      await insertRows(db, 'refusal', 10, 0, clock.now())
      const newest = async () =>
        (
          await db.query<{ id: string }>(
            sql`select audit_id as id from audit where kind = 'refusal' order by 1 desc limit 1`,
          )
        )[0]
      const last = await newest()
      for (const [rowsMax, left] of [
        [11, 10],
        [10, 10],
        [9, 9],
        [3, 3],
      ] as const) {
        await forgetKind(db, clock, 'refusal', { kept: forever, rowsMax }, never)
        assert.deepEqual(await countsOf(db), { change: 20, refusal: left })
      }
      assert.deepEqual(await newest(), last)
      await db.close()
    })

    test('more rows than one batch are deleted', async () => {
      const { db } = await lendDatabase(database)
      const clock = createClock('system')
      await insertRows(db, 'refusal', 12_000, 0, clock.now())
      await forgetKind(db, clock, 'refusal', { kept: forever, rowsMax: 500 }, never)
      assert.deepEqual(await countsOf(db), { refusal: 500 })
      await db.close()
    })
  })
}
