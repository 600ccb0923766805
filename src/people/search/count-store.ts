import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

/** Counts the people of a workspace up to `max`. */
export async function countPeopleUpTo(tx: Tx, workspace_id: number, max: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from (
      select 1 from profile where workspace_id = ${workspace_id} and merged_into is null limit ${max}) p`)
  return row!.count
}

/** Counts the people of a workspace in some buckets. */
export async function countInBuckets(tx: Tx, workspace_id: number, buckets: readonly number[]): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from unnest(${int4Array(buckets)}::int4[]) b(bucket)
    join profile p on p.bucket = b.bucket and p.workspace_id = ${workspace_id} and p.merged_into is null`)
  return row!.count
}
