import type { Db } from '../../base/db/db.ts'
import { countPeople } from './select-people.ts'
import type { Tree } from './tree.ts'
import { requireAttributes } from './unset-attributes.ts'

/** `without_attribute`: how many of them are selected only because they lack an attribute. */
export type PeopleCount = { readonly count: number; readonly without_attribute: number }

/** Counts the people that a tree selects, and those of them that it selects only because they lack an attribute. */
export async function countWithUnset(db: Db, workspace_id: number, tree: Tree, nowMs: number): Promise<PeopleCount> {
  const count = await countPeople(db, workspace_id, tree, nowMs)
  const required = requireAttributes(tree)
  if (required === undefined || count === 0) return { count, without_attribute: 0 }
  const unset = await countPeople(db, workspace_id, { all: [tree, { not: required }] }, nowMs)
  // People may have changed between the two counts.
  return { count, without_attribute: Math.min(unset, count) }
}
