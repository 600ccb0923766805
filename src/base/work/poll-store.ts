import type { Tx } from '../db/db.ts'
import { join, prepared, type Sql, sql } from '../db/sql.ts'

/** Returns of each probe whether it has a row, by one statement, which is prepared as long as the probes are the same. */
export async function findWork(tx: Tx, probes: readonly Sql[]): Promise<readonly boolean[]> {
  const found = probes.map((probe) => sql`(exists (${probe}))::int4`)
  // A text needs no parser of arrays: one character for each probe.
  const [row] = await tx.query<{ found: string }>(prepared(sql`select concat(${join(found, ', ')}) as found`))
  return [...row!.found].map((character) => character === '1')
}
