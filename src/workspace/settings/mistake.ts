import { Failure } from '../../base/errors.ts'

const mistakesMax = 50

/** What is wrong, where (`apps[0].platform`), and what would be accepted. */
export type Mistake = { path: string; message: string }

/** Says where a path stands in a file; nothing for what did not come from one. */
export type Locate = (path: string) => { line: number; column: number } | undefined

/**
 * The refusal of a whole file or request because of its mistakes: a 400 whose `errors` names each. Of a request that is one entry alone
 * `entry` is the path that this would have in a file; it is left out.
 */
export function refused(
  source: string,
  mistakes: readonly Mistake[],
  locate: Locate = () => undefined,
  entry?: string,
): Failure {
  const from = source === '' ? {} : { file: source }
  const errors = mistakes.slice(0, mistakesMax).map(({ path, message }) => {
    return { ...from, path: entry === undefined ? path : withinEntry(path, entry), message, ...locate(path) }
  })
  const first = formatMistake(source, errors[0]!, entry === undefined ? 'the file' : 'the body')
  const rest = mistakes.length - 1
  return new Failure('invalid', rest === 0 ? first : `${first} (and ${rest} more)`, { errors })
}

/** `shop.yaml:3:15: apps[0].platform must be ...` */
export function formatMistake(
  source: string,
  mistake: Mistake & { line?: number; column?: number },
  whole = 'the file',
): string {
  const place = mistake.line === undefined ? source : `${source}:${mistake.line}:${mistake.column}`
  return `${place === '' ? '' : `${place}: `}${mistake.path === '' ? whole : mistake.path} ${mistake.message}`
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
