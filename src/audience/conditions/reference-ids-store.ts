import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { findNames } from '../../workspace/names/name-store.ts'
import type { Occurrence } from './tree.ts'

/** A subscription group that a tree refers to. `kind`: the kind of address to which its messages go. */
export type GroupRef = { group_id: number; id: string; kind: 'email' | 'phone' }

/** Lists groups by their public ids. Groups that do not exist are left out: nobody has a state in them. */
export function listGroupRefs(tx: Tx, workspace_id: number, ids: readonly string[]): Promise<GroupRef[]> {
  return tx.query<GroupRef>(sql`
    select group_id, id, case channel when 'email' then 'email' else 'phone' end as kind from subscription_group
    where workspace_id = ${workspace_id} and id = any(${textArray(ids)}::text[])`)
}

/** The ids of names of events and products. A name without an id has never been tracked. */
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
