import type { Tx } from '../../base/db/db.ts'
import { invalid, notFound } from '../../base/errors.ts'
import { isCleanText } from '../../people/values/values.ts'
import { parseSegment, withSegments } from '../conditions/parse-condition.ts'
import type { Tree } from '../conditions/tree.ts'
import { finderByIdOrName } from './nesting.ts'
import { levelsMax, unknownSegment } from './schema.ts'
import { listWithNested, type SegmentRow } from './store.ts'

/** A stored segment with its tree, in which the trees of the segments that it names have been put. */
export type Segment = SegmentRow & { readonly tree: Tree }

/** The segment with this id, or undefined. */
export async function findSegment(tx: Tx, workspace_id: number, id: string): Promise<Segment | undefined> {
  const reached = await listParsed(tx, workspace_id, [id])
  const segment = reached.find((each) => each.id === id)
  return segment && { ...segment, tree: withNested(segment, finderByIdOrName(reached)) }
}

/** The trees of segments by the ids or names in `words`; those that are not there are missing. */
export async function findTrees(tx: Tx, workspace_id: number, words: readonly string[]): Promise<Map<string, Tree>> {
  if (words.length === 0) return new Map()
  const find = finderByIdOrName(await listParsed(tx, workspace_id, words))
  return new Map(
    words.flatMap((word) => {
      const segment = find(word)
      return segment ? [[word, withNested(segment, find)] as const] : []
    }),
  )
}

async function listParsed(tx: Tx, workspace_id: number, words: readonly string[]): Promise<Segment[]> {
  return (await listWithNested(tx, workspace_id, words, levelsMax)).map((row) => {
    return { ...row, tree: parseSegment(row.audience, 'audience') }
  })
}

/** A segment for an endpoint whose `segment_id` it is. Throws 400. */
export async function getSegment(tx: Tx, workspace_id: number, id: unknown): Promise<Segment> {
  const found = typeof id === 'string' && isCleanText(id) ? await findSegment(tx, workspace_id, id) : undefined
  if (!found) throw invalid(unknownSegment)
  return found
}

/** The same for a path that names it. Throws 404. */
export async function getSegmentOfPath(tx: Tx, workspace_id: number, id: string): Promise<Segment> {
  const found = isCleanText(id) ? await findSegment(tx, workspace_id, id) : undefined
  if (!found) throw notFound(`There is no segment ${JSON.stringify(id)}`)
  return found
}

/** Every nested tree is made once. What names itself through others cannot be saved; whoever writes it into storage is told. */
function withNested(segment: Segment, find: (word: string) => Segment | undefined): Tree {
  const made = new Map<string, Tree | undefined>()
  const treeOf = ({ id, tree }: Segment): Tree => {
    const before = made.get(id)
    if (before) return before
    if (made.has(id)) throw new Error(`segment ${id} names itself`)
    made.set(id, undefined)
    const whole = withSegments(tree, (word) => {
      const nested = find(word)
      return nested && { name: nested.name, tree: treeOf(nested) }
    })
    made.set(id, whole)
    return whole
  }
  return treeOf(segment)
}
