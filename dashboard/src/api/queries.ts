import { queryOptions } from '@tanstack/react-query'
import { call, callTagged, setCsrfToken } from './call.ts'
import { getAdminClock, getAdminPeopleSearch, getAdminSession } from './generated.ts'
import type { Operation } from './operation.ts'

/** The query of a request that reads. Its key is its path, so two parts of a page that ask the same make one request. */
export function reading<Reply>(operation: Operation<Reply>) {
  return queryOptions({ queryKey: [operation.path], queryFn: ({ signal }) => call(operation, signal) })
}

/** The query of a request that asks with a body. Its key is its path and its body. */
export function asking<Reply>(operation: Operation<Reply>) {
  const queryKey = [operation.path, JSON.stringify(operation.body)]
  return queryOptions({ queryKey, queryFn: ({ signal }) => call(operation, signal) })
}

/** The query of a thing with its ETag, which a change of it must name. `parse` reads the text of the answer. */
export function readingTagged<Reply>(operation: Operation<Reply>, parse: (text: string) => unknown) {
  return queryOptions({
    queryKey: [operation.path, 'with its tag'],
    queryFn: ({ signal }) => callTagged(operation, signal, parse),
    // Values that `parse` makes are not copied.
    structuralSharing: false,
  })
}

/** The same, read again and again while the page is looked at. A hidden tab reads nothing. */
export function polling<Reply>(operation: Operation<Reply>, everyMs: number) {
  return { ...reading(operation), refetchInterval: everyMs }
}

const sessionFreshMs = 60_000

/** The query of who is signed in. It also gives the token that writes must send. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal }) => {
    const session = await call(getAdminSession(), signal)
    setCsrfToken(session.csrf_token)
    return session
  },
  staleTime: sessionFreshMs,
})

export const clockQuery = reading(getAdminClock())

/** The request whose answer tells whether anybody is in a workspace. */
export function newestPerson(workspace: string) {
  return getAdminPeopleSearch({ workspace, limit: 1 })
}
