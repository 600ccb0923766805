import { oneValue } from '../base/http/query.ts'
import type { Request } from '../base/http/route.ts'

/** `?workspace=`: the id of a workspace; the default one when absent. */
export function selected({ query }: Request): string | undefined {
  return oneValue(query, 'workspace')
}
