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
export async function conditionTrees(
  tx: Tx,
  workspace_id: number,
  conditions: readonly Condition[],
): Promise<(Tree | undefined)[]> {
  const words = new Set(conditions.flatMap(namedSegments))
  const segments = await findTrees(tx, workspace_id, [...words])
  return conditions.map((condition) => {
    if ('segment_id' in condition) return ifComplete(segments.get(condition.segment_id))
    const tree = ownTree(condition)
    if (namedSegments(condition).length === 0) return tree
    return ifComplete(
      withSegments(tree, (word) => {
        const nested = segments.get(word)
        return nested && { name: word, tree: nested }
      }),
    )
  })
}

/** The ids or names of the stored segments that a condition names itself. */
export function namedSegments(condition: Condition): string[] {
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
function ifComplete(tree: Tree | undefined): Tree | undefined {
  return tree && isComplete(tree) ? tree : undefined
}

function isComplete(tree: Tree): boolean {
  if (!('kind' in tree)) return childrenOf(tree).every(isComplete)
  return tree.kind !== 'segment' || (tree.tree !== undefined && isComplete(tree.tree))
}
