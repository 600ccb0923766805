import type { Fetcher, FetchRequest, FetchResponse } from './fetch.ts'
import { FetchError } from './fetch-error.ts'

const temporaryStatuses: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Fetches and returns an error as a value. */
export async function tryFetch(
  fetcher: Pick<Fetcher, 'fetch'>,
  url: string,
  request: FetchRequest,
): Promise<FetchResponse | FetchError> {
  try {
    return await fetcher.fetch(url, request)
  } catch (error) {
    // Any other error is a bug.
    if (error instanceof FetchError) return error
    throw error
  }
}

/** Whether the same request may succeed a little later. */
export function isTemporary(result: FetchResponse | FetchError): boolean {
  return result instanceof FetchError ? result.temporary : temporaryStatuses.has(result.status)
}
