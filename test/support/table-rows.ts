import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { openDb } from '../../src/base/db/open.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { temporaryFolder } from '../fault/folders.ts'
import { testPostgres } from '../servers/postgres.ts'
import { quiet } from './databases.ts'
import type { Database } from './harness.ts'

/** A database that is kept after the service that used it ends. */
export type Place = AsyncDisposable & {
  /** The environment of a service that uses it. */
  readonly env: Readonly<Record<string, string>>
  /** Opens it. No service may use it at that time. */
  open(): Promise<Db>
}

export async function placeFor(database: Database): Promise<Place> {
  const folder = temporaryFolder()
  const postgres = database === 'postgres' ? await testPostgres() : undefined
  const databaseUrl = await postgres?.createDatabase(`traces_${randomUUID()}`)
  return {
    env: { EASEL_DATA: folder.path, ...(databaseUrl && { DATABASE_URL: databaseUrl }) },
    open: () => openDb({ dataDir: folder.path, ...(databaseUrl && { databaseUrl }), log: quiet, clock: systemClock() }),
    async [Symbol.asyncDispose]() {
      folder[Symbol.dispose]()
    },
  }
}

/** Reads every row of every table, partitions included, as text. */
export async function everyRow(db: Db): Promise<{ table: string; text: string }[]> {
  const tables = await db.query<{ name: string }>(sql`
    select c.relname::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'public' and c.relkind = 'r' order by 1`)
  assert.ok(tables.length > 20, 'the catalog lists the tables')
  const found: { table: string; text: string }[] = []
  for (const { name } of tables) {
    const rows = await db.query<{ text: string }>(raw(`select t::text as text from "${name}" t`))
    found.push(...rows.map(({ text }) => ({ table: name, text })))
  }
  return found
}
