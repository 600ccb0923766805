import { type Path, valueAt, withValue } from '../../draft/path.ts'

export type Members = Readonly<Record<string, unknown>>

/** Whether a value is an object of JSON. Pure. */
export function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the members at a path; none when there is no object. Pure. */
export function membersAt(document: unknown, path: Path): Members {
  const value = valueAt(document, path)
  return isMembers(value) ? value : {}
}

/** Returns the entries of the list at a path; none when there is no list. Pure. */
export function listAt(document: unknown, path: Path): readonly unknown[] {
  const value = valueAt(document, path)
  return Array.isArray(value) ? value : []
}

/** Returns the document with another value at a path. Undefined removes the member, and then the objects that have become empty. Pure. */
export function withMember<Document>(document: Document, path: Path, value: unknown): Document {
  if (value !== undefined) return withValue(document, path, value)
  const holder = path.slice(0, -1)
  const left = withoutMember(document, path)
  const isEmpty = isMembers(valueAt(left, holder)) && Object.keys(membersAt(left, holder)).length === 0
  return isEmpty && typeof holder.at(-1) === 'string' ? withMember(left, holder, undefined) : left
}

function withoutMember<Document>(document: Document, path: Path): Document {
  return valueAt(document, path) === undefined ? document : withValue(document, path, undefined)
}

/** Returns the members of an object that are not among the known ones. Pure. */
export function otherMembers(members: Members, known: readonly string[]): Members {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !known.includes(name)))
}

/** Returns an object in which a member has another name, at the same place. Pure. */
export function renamed(members: Members, from: string, to: string): Members {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name === from ? to : name, value]))
}
