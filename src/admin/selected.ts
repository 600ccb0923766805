import { invalid } from '../base/errors.ts'
import type { Request } from '../base/http/route.ts'

/** `?workspace=`: the id of a workspace; the default one when absent. */
export function selected(request: Request): string | undefined {
  return oneValue(request, 'workspace')
}

/** The value of a member of the query. Throws 400 for several. */
export function oneValue({ query }: Pick<Request, 'query'>, name: string): string | undefined {
  const given = query[name] ?? []
  if (given.length > 1) throw invalid(`'${name}' may be given once`)
  return given[0]
}
