import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { type Person, person } from '../../people/identity/person.ts'

/** Returns the people of a workspace by their external ids. */
export async function listByExternalId(tx: Tx, workspace_id: number): Promise<Map<string, Person>> {
  const rows = await tx.query<{ bucket: number; profile_id: string; external_id: string }>(sql`
    select bucket, profile_id, external_id from profile
    where workspace_id = ${workspace_id} and external_id is not null and merged_into is null`)
  return new Map(rows.map(({ bucket, profile_id, external_id }) => [external_id, person(bucket, profile_id)]))
}
