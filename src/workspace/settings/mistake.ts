import { Failure } from '../../base/errors.ts'

const mistakesMax = 50

/** A path such as `apps[0].platform`, and a message with the accepted values. */
export type Mistake = { path: string; message: string }

/** Returns line and column of a path in a file; undefined for a value that was not read from a file. */
export type Locate = (path: string) => { line: number; column: number } | undefined

/**
 * Returns a 400 with all mistakes of a file or a request in `errors`. For a request that is a single entry, `entry` is the path that the
 * entry would have in a file; this prefix is removed from the paths.
 */
export function mistakesToFailure(
  source: string,
  mistakes: readonly Mistake[],
  locate: Locate = () => undefined,
  entry?: string,
): Failure {
  const from = source === '' ? {} : { file: source }
  const located = mistakes.map((mistake) => ({ ...mistake, at: locate(mistake.path) }))
  const inOrder = located.sort((a, b) => positionOf(a.at) - positionOf(b.at))
  const errors = inOrder.slice(0, mistakesMax).map(({ path, message, at }) => {
    return { ...from, path: entry === undefined ? path : withinEntry(path, entry), message, ...at }
  })
  const first = formatMistake(source, errors[0]!, entry === undefined ? 'the file' : 'the body')
  const rest = mistakes.length - 1
  return new Failure('invalid', rest === 0 ? first : `${first} (and ${rest} more)`, { errors })
}

/** Returns a number by which mistakes are sorted as they stand in the file. Mistakes of one line keep their order. */
function positionOf(at: ReturnType<Locate>): number {
  return at?.line ?? 0
}

/** Returns a sentence such as `shop.yaml:3:15: apps[0].platform must be ...`. */
export function formatMistake(
  source: string,
  mistake: Mistake & { line?: number; column?: number },
  subject = 'the file',
): string {
  const location = mistake.line === undefined ? source : `${source}:${mistake.line}:${mistake.column}`
  return `${location === '' ? '' : `${location}: `}${mistake.path === '' ? subject : mistake.path} ${mistake.message}`
}

/** Whether a path is another one, or leads further into it. */
export function isWithinPath(path: string, outer: string): boolean {
  return (
    path.startsWith(outer) && (path.length === outer.length || path[outer.length] === '.' || path[outer.length] === '[')
  )
}

function withinEntry(path: string, entry: string): string {
  const rest = path.startsWith(entry) ? path.slice(entry.length) : undefined
  if (rest === undefined || (rest !== '' && rest[0] !== '.' && rest[0] !== '[')) return path
  return rest.startsWith('.') ? rest.slice(1) : rest
}

export function joinPath(path: string, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
