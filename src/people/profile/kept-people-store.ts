import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

type KeptRow = {
  bucket: number
  profile_id: string
  workspace_id: number
  merged_bucket: number | null
  merged_into: string | null
}

/** Returns the current people of a workspace by the given ids: the kept person after a merge, and no entry for a deleted one. */
export function findKept(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
): Promise<ReadonlyMap<string, Person>> {
  return followMerges(tx, workspace_id, people, sql``)
}

/** Does the same. None of the people returned is merged or deleted before the transaction ends. */
export function lockKept(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
): Promise<ReadonlyMap<string, Person>> {
  return followMerges(tx, workspace_id, people, sql`for key share of p`)
}

async function followMerges(
  tx: Tx,
  workspace_id: number,
  people: readonly Person[],
  lock: Sql,
): Promise<ReadonlyMap<string, Person>> {
  const kept = new Map<string, Person>()
  const into = new Map<string, string>()
  for (let next = people; next.length > 0; ) {
    const rows = await byShard<KeptRow, Person>(tx, next, (part) =>
      prepared(sql`
      select p.bucket, p.profile_id, p.workspace_id, p.merged_bucket, p.merged_into from ${personRows(part.items)} w(bucket, profile_id)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
      where true ${withinPart(part, 'p')} order by p.bucket, p.profile_id ${lock}`),
    )
    const here = rows.filter((row) => row.workspace_id === workspace_id)
    for (const { bucket, profile_id, merged_into } of here) {
      if (merged_into === null) kept.set(profile_id, person(bucket, profile_id))
      else into.set(profile_id, merged_into)
    }
    // The kept person may be merged again during the look-up.
    next = here.flatMap(({ merged_bucket, merged_into }) => (merged_into ? [person(merged_bucket!, merged_into)] : []))
  }
  const found = people.flatMap(({ profile_id }): [string, Person][] => {
    let id = profile_id
    while (into.has(id)) id = into.get(id)!
    const one = kept.get(id)
    return one ? [[profile_id, one]] : []
  })
  return new Map(found)
}

/** Locks people against merges and deletions until the transaction ends. Returns how many of them are neither merged nor deleted. */
export async function lockUnmerged(tx: Tx, people: readonly Person[]): Promise<number> {
  const rows = await byShard<unknown, Person>(tx, people, (part) =>
    prepared(sql`
    select 1 from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id for key share of p`),
  )
  return rows.length
}
