import type { FetchResponse } from './fetch.ts'

/** Returns the members of an answer in JSON; none for anything else: a proxy before the server may answer with HTML. */
export function membersOf({ body }: Pick<FetchResponse, 'body'>): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : {}
  } catch {
    // The status says how the request ended.
    return {}
  }
}
