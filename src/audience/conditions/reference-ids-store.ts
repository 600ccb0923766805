import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { cohortText } from '../../people/cohorts/cohort-names.ts'
import { findNames } from '../../workspace/names/name-store.ts'
import type { CohortName } from './facts.ts'
import type { HistoryFilter } from './tree.ts'

/** A subscription group that a tree refers to. `kind`: the kind of address to which its messages go. */
export type ConditionGroup = { group_id: number; id: string; kind: 'email' | 'phone' }

/** Lists groups by their public ids, without groups that do not exist: no person has a state in them. */
export function listConditionGroups(tx: Tx, workspace_id: number, ids: readonly string[]): Promise<ConditionGroup[]> {
  return tx.query<ConditionGroup>(sql`
    select group_id, id, case channel when 'email' then 'email' else 'phone' end as kind from subscription_group
    where workspace_id = ${workspace_id} and id = any(${textArray(ids)}::text[])`)
}

/** Returns the numbers of cohorts by `cohortText`, without cohorts that do not exist: nobody is in them. */
export async function findConditionCohorts(
  tx: Tx,
  workspace_id: number,
  cohorts: readonly CohortName[],
): Promise<Map<string, number>> {
  if (cohorts.length === 0) return new Map()
  const rows = await tx.query<CohortName & { cohort_id: number }>(sql`
    select c.cohort_id, c.partner, c.id
    from unnest(${textArray(cohorts.map(({ partner }) => partner))}::text[],
      ${textArray(cohorts.map(({ id }) => id))}::text[]) w(partner, id)
    join cohort c on c.workspace_id = ${workspace_id} and c.partner = w.partner and c.id = w.id`)
  return new Map(rows.map((row) => [cohortText(row), row.cohort_id]))
}

/** The ids of names of events and products. A name without an id has never been tracked. */
export type HistoryNameIds = Readonly<Record<HistoryFilter['of'], ReadonlyMap<string, number>>>

export async function findHistoryNameIds(
  tx: Tx,
  workspace_id: number,
  filters: readonly HistoryFilter[],
): Promise<HistoryNameIds> {
  const find = async (of: HistoryFilter['of'], kind: 'event' | 'product') => {
    const names = filters.flatMap((each) => (each.of === of && each.name !== undefined ? [each.name] : []))
    if (names.length === 0) return new Map<string, number>()
    const found = await findNames(tx, workspace_id, kind, names)
    return new Map(found.map(({ name, name_id }) => [name, name_id]))
  }
  return { event: await find('event', 'event'), purchase: await find('purchase', 'product') }
}
