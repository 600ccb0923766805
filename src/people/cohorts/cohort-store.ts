import { textArray, timestampArray } from '../../base/db/arrays.ts'
import { takeIds } from '../../base/db/counters.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Cohort } from './cohort-names.ts'

/** `cohort_id` is the number in the tables. */
export type CohortRow = Cohort & { readonly cohort_id: number }

export async function findCohort(
  tx: Tx,
  workspace_id: number,
  partner: string,
  id: string,
): Promise<CohortRow | undefined> {
  const [row] = await tx.query<CohortRow>(
    prepared(sql`select cohort_id, partner, id, name from cohort
      where workspace_id = ${workspace_id} and partner = ${partner} and id = ${id}`),
  )
  return row
}

/** Returns a cohort, and locks it: it is not deleted before the transaction ends. */
export async function lockCohort(
  tx: Tx,
  workspace_id: number,
  partner: string,
  id: string,
): Promise<CohortRow | undefined> {
  const [row] = await tx.query<CohortRow>(
    prepared(sql`select cohort_id, partner, id, name from cohort
      where workspace_id = ${workspace_id} and partner = ${partner} and id = ${id} for key share`),
  )
  return row
}

/** Deletes a cohort. Waits for transactions that have locked it. */
export async function deleteCohort(tx: Tx, cohort_id: number): Promise<void> {
  await tx.query(sql`delete from cohort where cohort_id = ${cohort_id}`)
}

export async function countCohorts(tx: Tx, workspace_id: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*)::int as count from cohort where workspace_id = ${workspace_id}`,
  )
  return row!.count
}

/** Lists the cohorts of a workspace by partner and id. */
export function listCohorts(tx: Tx, workspace_id: number): Promise<CohortRow[]> {
  return tx.query<CohortRow>(
    prepared(sql`select cohort_id, partner, id, name from cohort
      where workspace_id = ${workspace_id} order by partner collate "C", id collate "C"`),
  )
}

/** A cohort with its times, epoch microseconds: when it was created, and when its name last changed. */
export type TimedCohort = Cohort & { readonly created_at: number; readonly updated_at: number }

/** Lists the cohorts of a workspace with their times by partner and id. */
export function listTimedCohorts(tx: Tx, workspace_id: number): Promise<TimedCohort[]> {
  return tx.query<TimedCohort>(
    sql`select partner, id, name, (extract(epoch from created_at) * 1000000)::float8 as created_at,
        (extract(epoch from updated_at) * 1000000)::float8 as updated_at
      from cohort where workspace_id = ${workspace_id} order by partner collate "C", id collate "C"`,
  )
}

/** Creates cohorts, which must be new. The caller has locked the configuration. */
export async function insertCohorts(tx: Tx, workspace_id: number, cohorts: readonly TimedCohort[]): Promise<void> {
  if (cohorts.length === 0) return
  const first = await takeIds(tx, 'cohort', cohorts.length)
  await tx.query(sql`
    insert into cohort (cohort_id, workspace_id, partner, id, name, created_at, updated_at)
    select ${first}::int + w.n - 1, ${workspace_id}::int, w.partner, w.id, w.name, w.created_at, w.updated_at
    from unnest(
      ${textArray(cohorts.map(({ partner }) => partner))}::text[],
      ${textArray(cohorts.map(({ id }) => id))}::text[],
      ${textArray(cohorts.map(({ name }) => name))}::text[],
      ${timestampArray(cohorts.map(({ created_at }) => created_at))}::timestamptz[],
      ${timestampArray(cohorts.map(({ updated_at }) => updated_at))}::timestamptz[])
      with ordinality w(partner, id, name, created_at, updated_at, n)`)
}

export async function updateCohortName(tx: Tx, cohort_id: number, name: string, at: Date): Promise<void> {
  await tx.query(sql`
    update cohort set name = ${name}, updated_at = ${at.toISOString()}::timestamptz where cohort_id = ${cohort_id}`)
}

export type CountedCohort = CohortRow & {
  readonly members: number
  readonly created_at: Date
  readonly updated_at: Date
}

/** Lists the cohorts of a workspace with their sizes, by partner and name. */
export function listCountedCohorts(tx: Tx, workspace_id: number): Promise<CountedCohort[]> {
  return tx.query<CountedCohort>(sql`
    select c.cohort_id, c.partner, c.id, c.name, c.created_at, c.updated_at, coalesce(m.members, 0)::int as members
    from cohort c
    left join (
      select cohort_id, count(*) as members from cohort_member
      where cohort_id in (select o.cohort_id from cohort o where o.workspace_id = ${workspace_id}) group by cohort_id
    ) m on m.cohort_id = c.cohort_id
    where c.workspace_id = ${workspace_id} order by c.partner collate "C", c.name collate "C", c.id collate "C"`)
}
