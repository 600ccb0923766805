import { parseSegment, segmentIdsIn, withSegments } from '../../audience/conditions/parse-condition.ts'
import { childrenOf, type Tree } from '../../audience/conditions/tree.ts'
import { findTrees } from '../../audience/segments/find.ts'
import type { Tx } from '../../base/db/db.ts'
import type { Condition } from './flow.ts'

/** The trees of conditions that were parsed. Conditions of a graph do not change. */
const parsed = new WeakMap<Condition, Tree>()

/**
 * Returns the trees of conditions, in their order, with the current trees of the segments that they name. Undefined for a condition with a
 * segment that was deleted: it selects no one.
 */
export async function conditionTrees(
  tx: Tx,
  workspace_id: number,
  conditions: readonly Condition[],
): Promise<(Tree | undefined)[]> {
  const idsOrNames = new Set(conditions.flatMap(namedSegments))
  const segments = await findTrees(tx, workspace_id, [...idsOrNames])
  return conditions.map((condition) => {
    if ('segment_id' in condition) return ifComplete(segments.get(condition.segment_id))
    const tree = ownTree(condition)
    if (namedSegments(condition).length === 0) return tree
    return ifComplete(
      withSegments(tree, (idOrName) => {
        const nested = segments.get(idOrName)
        return nested && { name: idOrName, tree: nested }
      }),
    )
  })
}

/** Returns the ids or names of the stored segments that a condition names directly. */
export function namedSegments(condition: Condition): string[] {
  return 'segment_id' in condition ? [condition.segment_id] : segmentIdsIn(ownTree(condition))
}

/** Returns the tree of a condition that is given as one. Nested segments are names. */
export function ownTree(condition: Extract<Condition, { audience: unknown }>): Tree {
  const known = parsed.get(condition)
  if (known) return known
  const tree = parseSegment(condition.audience, 'audience')
  parsed.set(condition, tree)
  return tree
}

/** Returns undefined when a segment of the tree is missing. */
function ifComplete(tree: Tree | undefined): Tree | undefined {
  return tree && isComplete(tree) ? tree : undefined
}

function isComplete(tree: Tree): boolean {
  if (!('kind' in tree)) return childrenOf(tree).every(isComplete)
  return tree.kind !== 'segment' || (tree.tree !== undefined && isComplete(tree.tree))
}
