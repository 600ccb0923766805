import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { type Cohort, cohortText } from '../cohorts/cohort-names.ts'
import { insertCohorts, listCohorts } from '../cohorts/cohort-store.ts'
import { cohortsMax } from '../cohorts/schema.ts'
import { cohortMembers } from './backup-tables.ts'
import type { WrittenPerson } from './write-people.ts'

/** The numbers of the cohorts of a workspace by `cohortText`, and the cohorts for which it has no room. */
export type RestoredCohorts = { readonly cohorts: ReadonlyMap<string, number>; readonly leftOut: string[] }

/** Creates the cohorts of new people that the workspace does not have, up to `cohortsMax`. With `plan`, creates none. */
export async function restoreCohorts(
  tx: Tx,
  { clock }: Call,
  workspace_id: number,
  people: readonly WrittenPerson[],
  plan: boolean,
): Promise<RestoredCohorts> {
  const named = new Map(people.flatMap(cohortsOf).map((cohort) => [cohortText(cohort), cohort]))
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
    const at = new Date(clock.now())
    await insertCohorts(
      tx,
      workspace_id,
      created.map((cohort) => ({ ...cohort, created_at: at })),
      at,
    )
  }
  const all = plan || created.length === 0 ? present : await listCohorts(tx, workspace_id)
  return { cohorts: new Map(all.map((cohort) => [cohortText(cohort), cohort.cohort_id])), leftOut }
}

function cohortsOf({ isNew, lines }: WrittenPerson): Cohort[] {
  const rows = isNew ? (lines[0]!.line.rows.get(cohortMembers.table) ?? []) : []
  return rows.map(({ cohort_id }) => cohort_id as Cohort)
}
