import type { Tx } from '../../base/db/db.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import { listGroups, type WorkspaceRow } from '../../workspace/settings/store.ts'
import type { Wording } from '../conditions/sentence.ts'
import { type Leaf, ownLeavesOf, type Tree } from '../conditions/tree.ts'
import { finderByIdOrName } from './nesting.ts'
import { listSegmentNames } from './store.ts'

/**
 * Returns how conditions of a workspace are written: in its time zone, with the names of its segments and subscription groups. With
 * `trees`, names are read only when these conditions have some.
 */
export async function loadWording(
  tx: Tx,
  { workspace_id, settings }: Pick<WorkspaceRow, 'workspace_id' | 'settings'>,
  trees?: readonly Tree[],
): Promise<Wording> {
  const names = (kind: Leaf['kind']) => trees === undefined || trees.some((tree) => hasLeaf(tree, kind))
  const find = finderByIdOrName(names('segment') ? await listSegmentNames(tx, workspace_id) : [])
  const groups = names('subscription_group') ? await listGroups(tx, workspace_id) : []
  const groupNames = new Map(groups.map(({ id, name }) => [id, name]))
  return {
    zone: completeSettings(settings).time_zone,
    segmentName: (idOrName) => find(idOrName)?.name,
    groupName: (id) => groupNames.get(id),
  }
}

function hasLeaf(tree: Tree, kind: Leaf['kind']): boolean {
  for (const leaf of ownLeavesOf(tree)) if (leaf.kind === kind) return true
  return false
}
