import type { Tx } from '../src/base/db/db.ts'
import { raw, sql } from '../src/base/db/sql.ts'

/** Lists the names of the applied migrations in order; none for a new database. */
export async function listMigrations(tx: Tx): Promise<string[]> {
  const [record] = await tx.query<{ present: boolean }>(sql`select to_regclass('migration') is not null as present`)
  if (!record!.present) return []
  const rows = await tx.query<{ name: string }>(sql`select name from migration order by number`)
  return rows.map(({ name }) => name)
}

export type Engine = { version: string; fsync: string; full_page_writes: string; synchronous_commit: string }

export async function getEngine(tx: Tx): Promise<Engine> {
  const [row] = await tx.query<Engine>(
    raw(`
    select current_setting('server_version') as version, current_setting('fsync') as fsync,
      current_setting('full_page_writes') as full_page_writes, current_setting('synchronous_commit') as synchronous_commit`),
  )
  return row!
}
