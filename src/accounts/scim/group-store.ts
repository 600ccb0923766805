import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'

/** Returns the `externalId` of every group that has one. */
export async function listGroupIds(tx: Tx): Promise<ReadonlyMap<string, string>> {
  const rows = await tx.query<{ group_id: string; external_id: string }>(
    sql`select group_id, external_id from scim_group`,
  )
  return new Map(rows.map(({ group_id, external_id }) => [group_id, external_id]))
}

/** Stores the `externalId` of a group; null erases it. */
export async function setGroupId(tx: Tx, group_id: string, external_id: string | null): Promise<void> {
  if (external_id === null) {
    await tx.query(sql`delete from scim_group where group_id = ${group_id}`)
    return
  }
  await tx.query(sql`
    insert into scim_group (group_id, external_id) values (${group_id}, ${external_id})
    on conflict (group_id) do update set external_id = excluded.external_id`)
}
