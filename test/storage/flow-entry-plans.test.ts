import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { listFlowEntries } from '../../src/messaging/inspect/entry-list-store.ts'
import { countStanding, findLongest } from '../../src/messaging/inspect/standing-store.ts'
import { onBothDatabases, plansDiffer } from '../support/databases.ts'

const filter = {
  flow_id: 3,
  version: undefined,
  newest: 2,
  step: undefined,
  state: undefined,
  person: undefined,
} as const
const page = { limit: 51, lookedAt: 20_000 }

/** Fills a table in which one flow of ten is asked about, and tells the database how full it is. */
async function fill(db: Db): Promise<void> {
  await db.query(sql`
    insert into entry
      (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, visit, entered_at, ended_at, trail)
    select n % 4096, n, gen_random_uuid(), 1, n % 10, 1 + n % 2, 'marketing', case when n % 5 = 0 then 'waiting' else 'ended' end,
      'wait', 1, '2027-01-01Z'::timestamptz + n * interval '1 second', '2027-02-01Z', jsonb_build_array(jsonb_build_array('wait', n, ''))
    from generate_series(1, 20000) n`)
  await db.query(raw('analyze entry'))
}

/** Returns how the database carries out what `read` asks for. */
async function planOf(db: Db, read: (tx: Db) => Promise<unknown>): Promise<string> {
  const lines: string[] = []
  const explaining = {
    query: async (statement: ReturnType<typeof sql>) => {
      const rows = await db.query<{ 'QUERY PLAN': string }>(sql`explain ${statement}`)
      lines.push(...rows.map((row) => row['QUERY PLAN']))
      return []
    },
  } as unknown as Db
  await read(explaining)
  return lines.join('\n')
}

onBothDatabases(
  'people of a flow are found by indexes, however many others there are',
  async (open) => {
    const db = await open()
    await fill(db)
    const walk = await planOf(db, (tx) => listFlowEntries(tx, filter, 'walk', undefined, page))
    assert.match(walk, /Index Scan Backward using entry_of_flow/)
    const next = { us: '1798761600000000', entry_id: '0f4c0000-0000-4000-8000-000000000001' }
    assert.match(await planOf(db, (tx) => listFlowEntries(tx, filter, 'walk', next, page)), /entry_of_flow/)
    const atStep = { ...filter, flow_id: 5, step: 'wait', state: 'open' } as const
    assert.match(await planOf(db, (tx) => listFlowEntries(tx, atStep, 'step', undefined, page)), /entry_open/)
    assert.match(await planOf(db, (tx) => countStanding(tx, 5)), /entry_open/)
    assert.match(await planOf(db, (tx) => findLongest(tx, { flow_id: 5, version: 2 }, ['wait'])), /entry_open/)
  },
  { citus: plansDiffer },
)
