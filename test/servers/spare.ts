import { channel } from 'node:diagnostics_channel'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { textArray } from '../../src/base/db/arrays.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { newDatabase } from './template.ts'

/** A database for one test: as empty as a new one, although other tests used it before. */
export type Lent = { readonly db: Db; readonly databaseUrl: string | undefined }

type Spare = Lent & {
  /** The schema. A test that changes more than adding tables leaves a database that is not used again. */
  readonly shape: string
  readonly tables: ReadonlySet<string>
  /** The rows that a new database has, by table. */
  readonly rows: ReadonlyMap<string, string>
}

/** More databases than the tests of one process use at once. Each keeps its engine, or its connections. */
const idleMax = 2
/** On a busy machine the engine, compiled quickly, takes minutes for what takes two seconds on a quiet one. */
const statementDeadlineMs = 300_000
/** Dropping more tables than this takes longer than opening another database. */
const addedMax = 200

const idle: { readonly [backend in Db['backend']]: Spare[] } = { pglite: [], postgres: [] }
/** Closes the spare databases. The runner calls this when the last file of this process has ended. */
const ended = channel('easel.tests.ended')
let isShared = process.env.EASEL_TEST_TOGETHER !== undefined
ended.subscribe(() => {
  // The last test may not have returned its database yet.
  isShared = false
  for (const { db } of Object.values(idle).flat()) void db.close()
})

/**
 * Returns a fresh, migrated database. Opening one takes half a second with an engine in this process, and almost as much with a server.
 * Emptying a used one takes a tenth of that. `close` returns it for the next test.
 */
export async function lendDatabase(backend: Db['backend']): Promise<Lent> {
  for (let spare = idle[backend].pop(); spare; spare = idle[backend].pop()) {
    if (await empty(spare).catch(() => false)) return lend(spare)
    await spare.db.close()
  }
  return lend(await open(backend))
}

async function open(backend: Db['backend']): Promise<Spare> {
  const databaseUrl = backend === 'postgres' ? await newDatabase('test') : undefined
  const clock = systemClock()
  const log = pino({ level: 'silent' })
  const db = await openDb({ dataDir: 'memory', ...(databaseUrl && { databaseUrl }), log, clock, statementDeadlineMs })
  await migrate(db, clock)
  const { shape, tables, filled } = await look(db, db.placement !== undefined)
  const rows = new Map<string, string>()
  for (const table of filled) {
    const [all] = await db.query<{ rows: string }>(raw(`select jsonb_agg(t)::text as rows from "${table}" t`))
    if (all!.rows !== null) rows.set(table, all!.rows)
  }
  return { db, databaseUrl, shape, tables: new Set(tables), rows }
}

/** Reads the tables, indexes and sequences, and which of the tables have had rows. Those on shards are asked for too, unseen. */
async function look(tx: Tx, hasShards: boolean): Promise<{ shape: string; tables: string[]; filled: string[] }> {
  const onShards = hasShards ? sql`or c.oid in (select p.logicalrelid from pg_dist_partition p)` : sql``
  const [seen] = await tx.query<{ shape: string; tables: string[]; filled: string[] | null }>(sql`
    select string_agg(c.relname || ' ' || c.relnatts, ',' order by c.relname) as shape,
      array_agg(c.relname::text) filter (where c.relkind in ('r', 'p')) as tables,
      array_agg(c.relname::text) filter (where c.relkind = 'r' and (pg_relation_size(c.oid) > 0 ${onShards})) as filled
    from pg_class c where c.relnamespace = 'public'::regnamespace`)
  return { ...seen!, filled: seen!.filled ?? [] }
}

/** Empties a database. Returns false for one that cannot be used again. */
async function empty({ db, shape, tables, rows }: Spare): Promise<boolean> {
  return db.transaction(async (tx) => {
    const hasShards = db.placement !== undefined
    let seen = await look(tx, hasShards)
    // A moved clock creates partitions of later weeks.
    const added = seen.tables.filter((table) => !tables.has(table))
    if (added.length > addedMax) return false
    if (added.length > 0) {
      await tx.query(raw(`drop table ${listed(added)}`))
      seen = await look(tx, hasShards)
    }
    if (seen.shape !== shape) return false
    await tx.query(raw(`truncate ${listed(seen.filled)} restart identity`))
    for (const [table, text] of rows) {
      await tx.query({
        text: `insert into "${table}" select * from jsonb_populate_recordset(null::"${table}", $1)`,
        values: [text],
      })
    }
    // Removes the statistics that the planner has of the deleted rows.
    await tx.query(sql`delete from pg_statistic where starelid = any(${textArray(seen.filled)}::text[]::regclass[])`)
    return true
  })
}

function listed(tables: readonly string[]): string {
  return tables.map((table) => `"${table}"`).join(', ')
}

/** Returns a separate `Db`, so that caches of one test are not used by the next. It ends when all running work with it has ended. */
function lend(spare: Spare): Lent {
  const { db } = spare
  const working = new Set<Promise<unknown>>()
  let isClosed = false
  const tracked = <T>(work: () => Promise<T>): Promise<T> => {
    if (isClosed) return Promise.reject(new Error('the database is closed'))
    const promise = work()
    working.add(promise)
    const done = () => void working.delete(promise)
    promise.then(done, done)
    return promise
  }
  const own: Db = {
    backend: db.backend,
    log: db.log,
    usage: db.usage,
    get placement() {
      return db.placement
    },
    query: (statement) => tracked(() => db.query(statement)),
    transaction: (work, options) => tracked(() => db.transaction(work, options)),
    execute: (text) => tracked(() => db.execute(text)),
    async close() {
      if (isClosed) return
      isClosed = true
      await Promise.allSettled(working)
      if (isShared && idle[db.backend].length < idleMax) idle[db.backend].push(spare)
      else await db.close()
    },
  }
  return { db: own, databaseUrl: spare.databaseUrl }
}
