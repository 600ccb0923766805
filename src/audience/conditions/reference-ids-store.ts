import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { findNames } from '../../workspace/names/name-store.ts'
import type { Occurrence } from './tree.ts'

/** The number of a subscription group, and what kind of address it writes to. */
export type GroupRef = { group_id: number; id: string; kind: 'email' | 'phone' }

/** Groups that are not there are left out: nobody has a state in them. */
export function listGroupRefs(tx: Tx, workspace_id: number, ids: readonly string[]): Promise<GroupRef[]> {
  return tx.query<GroupRef>(sql`
    select group_id, id, case channel when 'email' then 'email' else 'phone' end as kind from subscription_group
    where workspace_id = ${workspace_id} and id = any(${textArray(ids)}::text[])`)
}

/** Numbers of the names of events and of purchased products. One without a number has never been heard of. */
export type OccurrenceNameIds = Readonly<Record<Occurrence['of'], ReadonlyMap<string, number>>>

export async function findOccurrenceNameIds(
  tx: Tx,
  workspace_id: number,
  occurrences: readonly Occurrence[],
): Promise<OccurrenceNameIds> {
  const find = async (of: Occurrence['of'], kind: 'event' | 'product') => {
    const names = occurrences.flatMap((each) => (each.of === of && each.name !== undefined ? [each.name] : []))
    if (names.length === 0) return new Map<string, number>()
    const found = await findNames(tx, workspace_id, kind, names)
    return new Map(found.map(({ name, name_id }) => [name, name_id]))
  }
  return { event: await find('event', 'event'), purchase: await find('purchase', 'product') }
}
