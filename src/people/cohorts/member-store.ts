import { int4Array, int8Array } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

/** Locks people in lock order, so that each is in one transaction at a time. Returns those who still exist. */
export async function lockPeople(tx: Tx, people: readonly Person[]): Promise<Person[]> {
  const rows = await byShard<{ bucket: number; profile_id: string }, Person>(tx, people, (part) =>
    prepared(sql`
    select p.bucket, p.profile_id
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id for no key update of p`),
  )
  return rows.map(({ bucket, profile_id }) => person(bucket, profile_id))
}

/** The cohorts of a person: how many, and whether one of them is the cohort in question. */
export type HeldCohorts = { readonly profile_id: string; readonly count: number; readonly isMember: boolean }

/** Returns the cohorts of people, without people in no cohort. */
export function listHeldCohorts(tx: Tx, people: readonly Person[], cohort_id: number): Promise<HeldCohorts[]> {
  return byShard<HeldCohorts, Person>(tx, people, (part) =>
    prepared(sql`
    select m.profile_id, count(*)::int as count, bool_or(m.cohort_id = ${cohort_id}::int4) as "isMember"
    from ${personRows(part.items)} w(bucket, profile_id)
    join cohort_member m on m.bucket = w.bucket and m.profile_id = w.profile_id
    where true ${withinPart(part, 'm')} group by m.profile_id`),
  )
}

/** Adds people, whose rows are locked, to a cohort. Those who are in it stay as they are. */
export async function insertMembers(
  tx: Tx,
  people: readonly Person[],
  cohort_id: number,
  addedAt: Date,
): Promise<void> {
  if (people.length === 0) return
  await tx.query(
    prepared(sql`
    insert into cohort_member (bucket, profile_id, cohort_id, added_at)
    select w.bucket, w.profile_id, ${cohort_id}::int4, ${addedAt.toISOString()}::timestamptz
    from unnest(
      ${int4Array(people.map((each) => each.bucket))}::int4[],
      ${int8Array(people.map((each) => each.key))}::int8[]) w(bucket, profile_id)
    on conflict do nothing`),
  )
}

/** Takes people, whose rows are locked, out of a cohort. */
export async function deleteMembers(tx: Tx, people: readonly Person[], cohort_id: number): Promise<void> {
  if (people.length === 0) return
  await byShard<unknown, Person>(tx, people, (part) =>
    prepared(sql`
    delete from cohort_member m using ${personRows(part.items)} w(bucket, profile_id)
    where m.bucket = w.bucket and m.profile_id = w.profile_id and m.cohort_id = ${cohort_id}::int4 ${withinPart(part, 'm')}`),
  )
}

/** Takes people out of a cohort, at most `max`. Returns how many. */
export async function deleteSomeMembers(tx: Tx, cohort_id: number, max: number): Promise<number> {
  const rows = await tx.query(
    sql`with chosen as (
      select bucket, profile_id from cohort_member where cohort_id = ${cohort_id}::int4 order by bucket, profile_id limit ${max}::int4)
    delete from cohort_member m using chosen s
    where m.bucket = s.bucket and m.profile_id = s.profile_id and m.cohort_id = ${cohort_id}::int4 returning 1`,
  )
  return rows.length
}

/** A cohort of a person, by the names of the interface. */
export type CohortOfPerson = { readonly partner: string; readonly cohort_id: string; readonly name: string }

/** Returns the cohorts of a person by partner and name. */
export function listCohortsOf(tx: Tx, { bucket, profile_id }: Person): Promise<CohortOfPerson[]> {
  return tx.query<CohortOfPerson>(
    prepared(sql`
    select c.partner, c.id as cohort_id, c.name from cohort_member m join cohort c on c.cohort_id = m.cohort_id
    where m.bucket = ${bucket}::int4 and m.profile_id = ${profile_id}::int8
    order by c.partner collate "C", c.name collate "C", c.id collate "C"`),
  )
}
