import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { completeSettings } from '../../workspace/settings/settings.ts'
import type { WorkspaceRow } from '../../workspace/settings/store.ts'
import { outlineSegment, type Part, segmentIdsIn, unknownSegments } from '../conditions/parse-condition.ts'
import { priceMistake } from '../conditions/price.ts'
import type { Tree } from '../conditions/tree.ts'
import { listParsed, nestedFiller } from '../segments/find.ts'
import { finderByIdOrName, nestingMistakes } from '../segments/nesting.ts'
import { audienceBytesMax } from '../segments/schema.ts'

/** A tree that is not stored. Its parts come before the parts in them, and the first one is the whole tree. */
export type Audience = { readonly tree: Tree; readonly parts: readonly Part[] }

/** The parts of a tree without a mistake, and the mistakes. */
export type Outlined = { readonly parts: readonly Part[]; readonly mistakes: readonly Mistake[] }

type Owner = Pick<WorkspaceRow, 'workspace_id' | 'settings'>

/** Neither an id nor a name of a stored segment. */
const notStored = ''
const root = 'audience'

/** Reads the `audience` of a body with all its mistakes, and fills in nested segments. Throws 400 for a body that is no object. */
export async function outlineAudience({ db }: Call, owner: Owner, body: unknown): Promise<Outlined> {
  if (!isObject(body)) throw invalid(bodyNotObject)
  const { regex_characters_max } = completeSettings(owner.settings)
  const { tree, parts, mistakes } = outlineSegment(body.audience, root, regex_characters_max)
  const ids = [...new Set(parts.flatMap((part) => segmentIdsIn(part.tree)))]
  const segments = ids.length === 0 ? [] : await listParsed(db, owner.workspace_id, ids)
  const find = finderByIdOrName(segments)
  const fill = nestedFiller(find)
  const unknown = unknownSegments(parts, (id) => find(id) !== undefined)
  const further = tree === undefined || unknown.length > 0 ? unknown : wholeMistakes(body.audience, tree, segments)
  return {
    parts: parts.map((part) => ({ path: part.path, tree: fill(part.tree) })),
    mistakes: [...mistakes, ...further],
  }
}

/** Reads the `audience` of a body. Throws 400 with the path of the first mistake. */
export async function readAudience(call: Call, owner: Owner, body: unknown): Promise<Audience> {
  const { parts, mistakes } = await outlineAudience(call, owner, body)
  const [mistake] = mistakes
  if (mistake) throw invalid(`${mistake.path} ${mistake.message}`)
  return { tree: parts[0]!.tree, parts }
}

/** Returns the mistakes that a stored segment with this tree would have. */
function wholeMistakes(given: unknown, tree: Tree, segments: Parameters<typeof nestingMistakes>[0]): Mistake[] {
  const bytes = Buffer.byteLength(JSON.stringify(given))
  if (bytes > audienceBytesMax) {
    return [{ path: root, message: `has ${bytes} bytes as JSON; at most ${audienceBytesMax} are allowed` }]
  }
  const tooExpensive = priceMistake(tree)
  if (tooExpensive !== undefined) return [{ path: root, message: tooExpensive }]
  const nesting = nestingMistakes([...segments, { id: notStored, name: notStored, tree }])
  return nesting.flatMap(({ id, mistake }) => (id === notStored ? [mistake] : []))
}
