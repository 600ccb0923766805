import { type Path, valueAt, withInserted, withValue } from '../draft/path.ts'
import { type GroupWord, nodeOf, show } from './conditions.ts'
import { kinds } from './kinds.ts'

const [first] = kinds

/** Returns a condition to begin with. */
export function newCondition(): unknown {
  return nodeOf(first!, first!.begin)
}

/** Returns a group with one condition to begin with, of the other word than the group it is put into. */
export function newGroup(within: GroupWord): unknown {
  return { [within === 'AND' ? 'OR' : 'AND']: [newCondition()] }
}

/** Returns the document with a part at the end of a group. Pure. */
export function withPart<Document>(document: Document, group: Path, part: unknown): Document {
  const shown = show(valueAt(document, group))
  if (shown.as !== 'group') return document
  return withInserted(document, [...group, shown.word], shown.parts.length, part)
}

/** Returns the document with the other word for a group: all of its parts, or one of them. Pure. */
export function withWord<Document>(document: Document, group: Path, word: GroupWord): Document {
  const shown = show(valueAt(document, group))
  return shown.as === 'group' ? withValue(document, group, { [word]: shown.parts }) : document
}

/** Returns the document with `NOT` around a part, or without it. Pure. */
export function withOpposite<Document>(document: Document, part: Path): Document {
  const node = valueAt(document, part)
  const shown = show(node)
  return withValue(document, part, shown.as === 'not' ? shown.part : { NOT: node })
}

/** Returns the document with a group around a part. Pure. */
export function withGroupAround<Document>(document: Document, part: Path, word: GroupWord): Document {
  return withValue(document, part, { [word]: [valueAt(document, part)] })
}

/** Returns the document with the parts of a group in its place. A group that is the whole audience stays. Pure. */
export function withoutGroup<Document>(document: Document, group: Path): Document {
  const shown = show(valueAt(document, group))
  const position = group.at(-1)
  const list = group.slice(0, -1)
  const entries = valueAt(document, list)
  if (shown.as !== 'group' || typeof position !== 'number' || !Array.isArray(entries)) return document
  return withValue(document, list, entries.toSpliced(position, 1, ...shown.parts))
}
