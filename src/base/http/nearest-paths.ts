import { editDistance } from '../edit-distance.ts'

/** Characters of a path that are compared, so that a long path costs little. */
const comparedCharacters = 64
const namedPathsMax = 3
/** Edits for each ten characters that a path may be away from the one that was meant. */
const editsOfTen = 4

/**
 * Returns the paths of a table that a caller may have meant, the nearest first: those in the same folder, and those with few edits between
 * them. Without any it returns an empty list.
 */
export function nearestPaths(path: string, paths: readonly string[]): string[] {
  const asked = path
    .replaceAll(/\/{2,}/g, '/')
    .slice(0, comparedCharacters)
    .toLowerCase()
  const folder = folderAt(asked)
  const siblings = paths.filter((known) => folderAt(known) === folder)
  const candidates = siblings.length > 0 ? siblings : paths.filter((known) => isNearInLength(asked, known))
  return candidates
    .map((known) => ({ known, edits: editDistance(asked, known) }))
    .filter(({ known, edits }) => siblings.length > 0 || edits <= editsMaxOf(asked, known))
    .toSorted((a, b) => a.edits - b.edits)
    .slice(0, namedPathsMax)
    .map(({ known }) => known)
}

/** Returns the message of a 404 for a path that is not served. It does not repeat the path. */
export function describeUnknownPath(path: string, paths: readonly string[]): string {
  const nearest = nearestPaths(path, paths)
  if (nearest.length === 0) return 'Not found. /openapi.json has all paths'
  const last = nearest.pop()!
  if (nearest.length === 0) return `Not found. The nearest path is ${last}`
  return `Not found. The nearest paths are ${nearest.join(', ')} and ${last}`
}

function folderAt(path: string): string {
  return path.split('/', 2)[1]!
}

function isNearInLength(asked: string, known: string): boolean {
  return Math.abs(asked.length - known.length) <= editsMaxOf(asked, known)
}

function editsMaxOf(asked: string, known: string): number {
  return Math.floor((Math.min(asked.length, known.length) * editsOfTen) / 10)
}
