import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { type Cohort, cohortText } from '../cohorts/cohort-names.ts'
import { insertCohorts, listCohorts, type TimedCohort } from '../cohorts/cohort-store.ts'
import { cohortsMax } from '../cohorts/schema.ts'
import { cohortMembers } from './backup-tables.ts'
import type { WrittenPerson } from './write-people.ts'

/** The numbers of the cohorts of a workspace by `cohortText`, and the cohorts for which it has no room. */
export type RestoredCohorts = { readonly cohorts: ReadonlyMap<string, number>; readonly leftOut: string[] }

/**
 * Creates the cohorts of the head and of new people that the workspace does not have, up to `cohortsMax`. Those of the head keep their
 * times. With `plan`, creates none.
 */
export async function restoreCohorts(
  tx: Tx,
  { clock }: Call,
  workspace_id: number,
  listed: readonly TimedCohort[],
  people: readonly WrittenPerson[],
  plan: boolean,
): Promise<RestoredCohorts> {
  const nowUs = clock.now() * 1000
  const all = [...people.flatMap((each) => cohortsOf(each, nowUs)), ...listed]
  const named = new Map(all.map((cohort) => [cohortText(cohort), cohort]))
  if (named.size === 0) return { cohorts: new Map(), leftOut: [] }
  const known = new Map((await listCohorts(tx, workspace_id)).map((cohort) => [cohortText(cohort), cohort.cohort_id]))
  if ([...named.keys()].every((text) => known.has(text))) return { cohorts: known, leftOut: [] }
  // The lock is for all workspaces, so it is taken only to create some.
  if (!plan) await lockConfig(tx)
  const present = await listCohorts(tx, workspace_id)
  const missing = new Map(named)
  for (const cohort of present) missing.delete(cohortText(cohort))
  const room = Math.max(0, cohortsMax - present.length)
  const leftOut = [...missing.keys()].slice(room).sort()
  const created = [...missing.values()].slice(0, room)
  if (!plan && created.length > 0) {
    await insertCohorts(tx, workspace_id, created)
  }
  const stored = plan || created.length === 0 ? present : await listCohorts(tx, workspace_id)
  return { cohorts: new Map(stored.map((cohort) => [cohortText(cohort), cohort.cohort_id])), leftOut }
}

function cohortsOf({ isNew, lines }: WrittenPerson, nowUs: number): TimedCohort[] {
  const rows = isNew ? (lines[0]!.line.rows.get(cohortMembers.table) ?? []) : []
  return rows.map(({ cohort_id }) => ({ ...(cohort_id as Cohort), created_at: nowUs, updated_at: nowUs }))
}
