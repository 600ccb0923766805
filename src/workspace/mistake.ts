import { Failure } from '../base/errors.ts'

const mistakesMax = 50

/** What is wrong, where (`apps[0].platform`), and what would be accepted. */
export type Mistake = { path: string; message: string }

/** Says where a path stands in a file; nothing for what did not come from one. */
export type Locate = (path: string) => { line: number; column: number } | undefined

/** The refusal of a whole file or request because of its mistakes: a 400 whose `errors` names each. */
export function refused(source: string, mistakes: readonly Mistake[], locate: Locate = () => undefined): Failure {
  const from = source === '' ? {} : { file: source }
  const errors = mistakes.slice(0, mistakesMax).map((mistake) => ({ ...from, ...mistake, ...locate(mistake.path) }))
  const first = sentence(source, errors[0]!)
  const rest = mistakes.length - 1
  return new Failure('invalid', rest === 0 ? first : `${first} (and ${rest} more)`, { errors })
}

/** `shop.yaml:3:15: apps[0].platform must be ...` */
export function sentence(source: string, mistake: Mistake & { line?: number; column?: number }): string {
  const place = mistake.line === undefined ? source : `${source}:${mistake.line}:${mistake.column}`
  return `${place === '' ? '' : `${place}: `}${mistake.path === '' ? 'the file' : mistake.path} ${mistake.message}`
}

export function memberOf(path: string, name: string): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) return `${path}[${JSON.stringify(name)}]`
  return path === '' ? name : `${path}.${name}`
}
