/** Where a value stands in a document: names of members and positions in lists, from the top. */
export type Path = readonly (string | number)[]

const part = /(?:^|\.)([A-Za-z_][A-Za-z0-9_]*)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/gy

/** Reads a path as the server writes it: `audience.AND[2].NOT`. A text that is no path is undefined. Pure. */
export function parsePath(text: string): Path | undefined {
  const path: (string | number)[] = []
  let read = 0
  for (const [found, name, position, quoted] of text.matchAll(part)) {
    path.push(name ?? (position === undefined ? unquoted(quoted!) : Number(position)))
    read += found.length
  }
  return read === text.length ? path : undefined
}

function unquoted(text: string): string {
  try {
    return JSON.parse(text) as string
  } catch {
    // An escape that JSON does not have.
    return text.slice(1, -1)
  }
}

/** Writes a path as the server does. Pure. */
export function formatPath(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(step)) return `${before}[${JSON.stringify(step)}]`
    return before === '' ? step : `${before}.${step}`
  }, '')
}

/** Whether `inner` is `path`, or stands in it. Pure. */
export function isWithin(inner: Path, path: Path): boolean {
  return path.length <= inner.length && path.every((step, i) => step === inner[i])
}

/** Returns the value at a path; undefined when there is none. Pure. */
export function valueAt(document: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined
    return (value as Record<string | number, unknown>)[step]
  }, document)
}

/**
 * Returns the document with another value at a path. Undefined removes the member, or the entry of a list. Members on the way that are
 * missing are made. Everything beside the path is the same object as before. Pure.
 */
export function withValue<Document>(document: Document, path: Path, value: unknown): Document {
  return changed(document, path, value) as Document
}

function changed(document: unknown, path: Path, value: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined) return value
  const inner = valueAt(document, [step])
  const next = rest.length === 0 ? value : changed(inner, rest, value)
  if (Array.isArray(document) && typeof step === 'number') {
    return next === undefined ? document.toSpliced(step, 1) : document.toSpliced(step, 1, next)
  }
  const members = typeof document === 'object' && document !== null ? (document as Record<string, unknown>) : {}
  if (next !== undefined) return { ...members, [step]: next }
  const { [step]: _, ...others } = members
  return others
}

/** Returns the document with a value put into the list at a path, before the entry at `position`. A missing list is made. Pure. */
export function withInserted<Document>(document: Document, list: Path, position: number, value: unknown): Document {
  const entries = valueAt(document, list)
  return withValue(document, list, (Array.isArray(entries) ? entries : []).toSpliced(position, 0, value))
}

/** Returns the document with an entry of the list at a path moved to another position. Pure. */
export function withMoved<Document>(document: Document, list: Path, from: number, to: number): Document {
  const entries = valueAt(document, list)
  if (!Array.isArray(entries) || to < 0 || to >= entries.length) return document
  return withValue(document, list, entries.toSpliced(from, 1).toSpliced(to, 0, entries[from]))
}
