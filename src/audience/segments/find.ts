import type { Tx } from '../../base/db/db.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { isCleanText } from '../../people/values/values.ts'
import { parseSegment, withSegments } from '../conditions/parse-condition.ts'
import type { Tree } from '../conditions/tree.ts'
import { finderByIdOrName } from './nesting.ts'
import { levelsMax, unknownSegment } from './schema.ts'
import { listWithNested, type SegmentRow } from './store.ts'

/** A stored segment with its tree. The trees of nested segments are filled in. */
export type Segment = SegmentRow & { readonly tree: Tree }

export async function findSegment(tx: Tx, workspace_id: number, id: string): Promise<Segment | undefined> {
  const segments = await listParsed(tx, workspace_id, [id])
  const segment = segments.find((each) => each.id === id)
  return segment && { ...segment, tree: nestedFiller(finderByIdOrName(segments))(segment.tree) }
}

/** Finds the trees of segments by id or name, which are the keys of the map. Omits segments that do not exist. */
export async function findTrees(
  tx: Tx,
  workspace_id: number,
  idsOrNames: readonly string[],
): Promise<Map<string, Tree>> {
  if (idsOrNames.length === 0) return new Map()
  const find = finderByIdOrName(await listParsed(tx, workspace_id, idsOrNames))
  const fill = nestedFiller(find)
  return new Map(
    idsOrNames.flatMap((idOrName) => {
      const segment = find(idOrName)
      return segment ? [[idOrName, fill(segment.tree)] as const] : []
    }),
  )
}

/** Finds a segment by the `segment_id` of a request. Throws 400. */
export async function getSegment(tx: Tx, workspace_id: number, id: unknown): Promise<Segment> {
  const found = typeof id === 'string' && isCleanText(id) ? await findSegment(tx, workspace_id, id) : undefined
  if (!found) throw invalid(unknownSegment)
  return found
}

/** Finds a segment by the id in a path. Throws 404. */
export async function getSegmentOfPath(tx: Tx, workspace_id: number, id: string): Promise<Segment> {
  const found = isCleanText(id) ? await findSegment(tx, workspace_id, id) : undefined
  if (!found) throw notFound(`There is no segment ${JSON.stringify(id)}`)
  return found
}

/** Finds the segments that these ids or names refer to, and those nested in them, with their own trees. */
export async function listParsed(tx: Tx, workspace_id: number, idsOrNames: readonly string[]): Promise<Segment[]> {
  return (await listWithNested(tx, workspace_id, idsOrNames, levelsMax)).map((row) => {
    return { ...row, tree: parseSegment(row.audience, 'audience') }
  })
}

type Named = Pick<Segment, 'id' | 'name' | 'tree'>

/**
 * Returns a function that fills in the trees of nested segments, and builds each tree once. It throws an Error for a segment that contains
 * itself, which cannot be stored.
 */
export function nestedFiller(find: (idOrName: string) => Named | undefined): (tree: Tree) => Tree {
  const made = new Map<string, Tree | undefined>()
  const fill = (tree: Tree): Tree =>
    withSegments(tree, (idOrName) => {
      const nested = find(idOrName)
      return nested && { name: nested.name, tree: treeOf(nested) }
    })
  const treeOf = ({ id, tree }: Named): Tree => {
    const before = made.get(id)
    if (before) return before
    if (made.has(id)) throw new Error(`segment ${id} names itself`)
    made.set(id, undefined)
    const filled = fill(tree)
    made.set(id, filled)
    return filled
  }
  return fill
}
