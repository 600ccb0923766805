import type { Tx } from '../db/db.ts'
import { join, prepared, type Sql, sql } from '../db/sql.ts'

/** What probes found, and the snapshot that they saw. */
export type Findings = { readonly snapshot: string; readonly found: readonly boolean[] }

/** Returns of each probe whether it has a row, by one statement, which is prepared as long as the probes are the same. */
export async function findWork(tx: Tx, probes: readonly Sql[]): Promise<Findings> {
  const found = probes.map((probe) => sql`(exists (${probe}))::int4`)
  // A text needs no parser of arrays: one character for each probe.
  const [row] = await tx.query<{ snapshot: string; found: string }>(
    prepared(sql`select pg_current_snapshot()::text as snapshot, concat(${join(found, ', ')}) as found`),
  )
  return { snapshot: row!.snapshot, found: [...row!.found].map((character) => character === '1') }
}

/**
 * Returns which transactions are visible now. While it stays the same, every statement that only reads returns the same rows: each
 * transaction that writes changes it when it becomes visible. It touches no table.
 */
export async function readSnapshot(tx: Tx): Promise<string> {
  const [row] = await tx.query<{ snapshot: string }>(prepared(sql`select pg_current_snapshot()::text as snapshot`))
  return row!.snapshot
}
