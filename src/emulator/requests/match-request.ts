import type { RequestFilter } from './schema.ts'

/** What a filter looks at. */
export type MatchedRequest = {
  readonly workspace: string | null
  readonly method: string
  readonly path: string
  readonly body: unknown
}

/** A member of a filter that a request does not have, in words. */
export type Mismatch = { readonly member: string; readonly problem: string }

/** Returns what keeps a request from matching; an empty list when it matches. Pure. */
export function mismatchesOf(request: MatchedRequest, filter: RequestFilter): Mismatch[] {
  const { workspace, method, path, body } = filter
  const found: Mismatch[] = []
  if (workspace !== undefined && request.workspace !== workspace) {
    found.push({ member: 'workspace', problem: `it was for ${JSON.stringify(request.workspace)}` })
  }
  if (method !== undefined && request.method !== method.toUpperCase()) {
    found.push({ member: 'method', problem: `it was ${request.method}` })
  }
  if (path !== undefined && !pathMatches(request.path, path)) {
    found.push({ member: 'path', problem: `it was ${request.path}` })
  }
  if (body !== undefined) found.push(...bodyMismatches(request.body, body, 'body'))
  return found
}

/** Whether a path is like a pattern, in which `*` stands for any part. Pure. */
export function pathMatches(path: string, pattern: string): boolean {
  const parts = normal(pattern).split('/')
  const given = normal(path).split('/')
  return parts.length === given.length && parts.every((part, i) => part === '*' || part === given[i])
}

function normal(path: string): string {
  return `/${path.split('?', 1)[0]!.split('/').filter(Boolean).join('/')}`
}

function bodyMismatches(actual: unknown, expected: unknown, at: string): Mismatch[] {
  if (Array.isArray(expected)) return listMismatches(actual, expected, at)
  if (typeof expected === 'object' && expected !== null) {
    if (typeof actual !== 'object' || actual === null || Array.isArray(actual)) {
      return [{ member: at, problem: 'it is not an object' }]
    }
    return Object.entries(expected).flatMap(([name, value]) => {
      if (!Object.hasOwn(actual, name)) return [{ member: `${at}.${name}`, problem: 'it is absent' }]
      return bodyMismatches((actual as Record<string, unknown>)[name], value, `${at}.${name}`)
    })
  }
  return Object.is(actual, expected) ? [] : [{ member: at, problem: `it is ${shortened(actual)}` }]
}

/** Each expected entry must be like an entry of its own. */
function listMismatches(actual: unknown, expected: readonly unknown[], at: string): Mismatch[] {
  if (!Array.isArray(actual)) return [{ member: at, problem: 'it is not a list' }]
  const left = [...actual]
  return expected.flatMap((entry, i) => {
    const position = left.findIndex((each) => bodyMismatches(each, entry, '').length === 0)
    if (position >= 0) {
      left.splice(position, 1)
      return []
    }
    const problems = left.map((each) => bodyMismatches(each, entry, `${at}[${i}]`))
    const nearest = problems.toSorted((one, other) => one.length - other.length)[0]
    return nearest ?? [{ member: `${at}[${i}]`, problem: 'the list has no further entry' }]
  })
}

function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent'
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}
