import { int8Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'

/** Returns the ids among these people, and the profiles merged into them, whose history is still to be deleted. */
export async function findPendingDeletions(tx: Tx, people: readonly Person[]): Promise<Set<string>> {
  const ids = int8Array(people.map(({ key }) => key))
  const rows = await tx.query<{ id: string }>(
    prepared(sql`
    select unnest(w.from_id || coalesce(w.merged_ids, '{}')) as id from work w
    where w.state = 'moving' and w.kind = 'delete'
      and (w.from_id = any(${ids}::int8[]) or w.merged_ids && ${ids}::int8[])`),
  )
  return new Set(rows.map((row) => row.id))
}
