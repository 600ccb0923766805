import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { raw, type Sql, sql } from '../../src/base/db/sql.ts'
import { listCountedCohorts } from '../../src/people/cohorts/cohort-store.ts'
import { onBothDatabases, plansDiffer } from '../support/databases.ts'

onBothDatabases(
  'the cohorts of a workspace are counted without reading members of other workspaces',
  async (open) => {
    const db = await open()
    await db.query(sql`
    insert into cohort (cohort_id, workspace_id, partner, id, name, created_at, updated_at)
    select n, case when n < 3 then 1 else 2 end, 'acme', 'c' || n, 'C', '2026-01-01Z', '2026-01-01Z' from generate_series(1, 20) n`)
    await db.query(sql`
    insert into cohort_member (bucket, profile_id, cohort_id, added_at)
    select n % 4096, n, case when n <= 5 then 1 else 3 + n % 18 end, '2026-01-01Z' from generate_series(1, 20000) n`)
    await db.query(raw('analyze cohort'))
    await db.query(raw('analyze cohort_member'))
    const counted = await listCountedCohorts(db, 1)
    assert.deepEqual(
      counted.map(({ id, members }) => [id, members]),
      [
        ['c1', 5],
        ['c2', 0],
      ],
    )
    let plan = ''
    const explaining = {
      query: async (statement: Sql) => {
        plan = JSON.stringify(await db.query(sql`explain ${statement}`))
        return []
      },
    } as unknown as Db
    await listCountedCohorts(explaining, 1)
    assert.match(plan, /cohort_member_of_cohort/)
  },
  { citus: plansDiffer },
)
