import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { type Move, type Person, person } from '../identity/person.ts'
import { moveRows, personRows } from '../identity/person-store.ts'

/** `from` was merged into `person` earlier. */
export type MergedProfile = { person: Person; from: Person }

type MergedProfileRow = { bucket: number; profile_id: string; from_bucket: number; from_id: string }

export async function listMergedProfiles(tx: Tx, people: readonly Person[]): Promise<MergedProfile[]> {
  const rows = await byShard<MergedProfileRow, Person>(tx, people, (part) =>
    prepared(sql`
    select a.bucket, a.profile_id, a.from_bucket, a.from_id from ${personRows(part.items)} w(bucket, profile_id)
    join merged_profile a on a.bucket = w.bucket and a.profile_id = w.profile_id ${withinPart(part, 'a')}`),
  )
  return rows.map((row) => ({
    person: person(row.bucket, row.profile_id),
    from: person(row.from_bucket, row.from_id),
  }))
}

export async function insertMergedProfiles(tx: Tx, moves: readonly Move[], atUs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into merged_profile (bucket, profile_id, from_bucket, from_id, moved, at)
    select w.into_bucket, w.into_id, w.bucket, w.profile_id, false, ${timestampFromUs(atUs)}
    from ${moveRows(moves)} w(bucket, profile_id, into_bucket, into_id)`),
  )
}

/**
 * Returns the profile into which each of these is merged now, and locks them so that this does not change before the transaction ends.
 * Deleted profiles are omitted.
 */
export async function lockMergedProfiles(tx: Tx, merged: readonly Person[]): Promise<Move[]> {
  const rows = await byShard<
    { bucket: number; profile_id: string; merged_bucket: number; merged_into: string },
    Person
  >(tx, merged, (part) =>
    prepared(sql`
    select p.bucket, p.profile_id, p.merged_bucket, p.merged_into from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is not null ${withinPart(part, 'p')} order by p.bucket, p.profile_id for update of p`),
  )
  return rows.map((row) => ({
    from: person(row.bucket, row.profile_id),
    into: person(row.merged_bucket, row.merged_into),
  }))
}

/** Records that no history remains under the ids of these merged profiles. */
export async function markMoved(tx: Tx, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  await byShard<unknown, Move>(
    tx,
    moves,
    (part) =>
      prepared(sql`
    update merged_profile a set moved = true from ${moveRows(part.items)} w(bucket, profile_id, into_bucket, into_id)
    where a.bucket = w.into_bucket and a.profile_id = w.into_id and a.from_bucket = w.bucket and a.from_id = w.profile_id
      and not a.moved ${withinPart(part, 'a')}`),
    ({ into }) => into.bucket,
  )
}
