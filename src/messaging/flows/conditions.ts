import { parseSegment, segmentIdsIn, withSegments } from '../../audience/conditions/parse-condition.ts'
import { childrenOf, type Tree } from '../../audience/conditions/tree.ts'
import { findTrees } from '../../audience/segments/find.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Condition } from './flow.ts'

/** Conditions of a graph do not change: what was read of one is kept as long as it is. */
const read = new WeakMap<Condition, Tree>()

/**
 * The trees of conditions, in their order, with the segments that they name as they are now. Undefined: a segment that it names is gone,
 * and nobody is in it.
 */
export async function treesOf(
  tx: Tx,
  workspace_id: number,
  conditions: readonly Condition[],
): Promise<(Tree | undefined)[]> {
  const words = new Set(conditions.flatMap(segmentsOf))
  const segments = await findTrees(tx, workspace_id, [...words])
  return conditions.map((condition) => {
    if ('segment_id' in condition) return whole(segments.get(condition.segment_id))
    const tree = ownTree(condition)
    if (segmentsOf(condition).length === 0) return tree
    return whole(
      withSegments(tree, (word) => {
        const nested = segments.get(word)
        return nested && { name: word, tree: nested }
      }),
    )
  })
}

/** The ids or names of the stored segments that a condition names itself. */
export function segmentsOf(condition: Condition): string[] {
  return 'segment_id' in condition ? [condition.segment_id] : segmentIdsIn(ownTree(condition))
}

function ownTree(condition: Extract<Condition, { audience: unknown }>): Tree {
  const known = read.get(condition)
  if (known) return known
  const tree = parseSegment(condition.audience, 'audience')
  read.set(condition, tree)
  return tree
}

/** Undefined when a segment that it names is missing. */
function whole(tree: Tree | undefined): Tree | undefined {
  return tree && isWhole(tree) ? tree : undefined
}

function isWhole(tree: Tree): boolean {
  if (!('kind' in tree)) return childrenOf(tree).every(isWhole)
  return tree.kind !== 'segment' || (tree.tree !== undefined && isWhole(tree.tree))
}
