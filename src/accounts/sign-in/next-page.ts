import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { type Cookie, readCookie } from '../sessions/cookies.ts'

const charactersMax = 2_000
/** A page of the dashboard, as a path from the root of the service. Other targets could lead a visitor to another site. */
const dashboardPath = /^\/dashboard(?:[/?][\x21-\x5b\x5d-\x7e]*)?$/
/** How long a sign-in may take until the page is forgotten. A link of a mail is valid for as long. */
const nextPageS = 15 * 60

/** Reads `?next=`: the page of the dashboard that a visitor wanted. Undefined for any other page. */
export function readNextPage(query: Query): string | undefined {
  return checked(readSingle(query, 'next'))
}

/** Returns the page that this browser wanted before it signed in. */
export function wantedPage(cookies: string | undefined, cookie: Cookie): string | undefined {
  const value = readCookie(cookies, cookie.name)
  return value === undefined || !/^[\w.!~*'()%-]*$/.test(value) ? undefined : checked(decoded(value))
}

/** Returns the `Set-Cookie` that remembers a page until the visitor has signed in. */
export function rememberPage(next: string, cookie: Cookie): string {
  return cookie.set(encodeURIComponent(next), nextPageS)
}

function checked(path: string | undefined): string | undefined {
  return path !== undefined && path.length <= charactersMax && dashboardPath.test(path) ? path : undefined
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    // Another program has set the cookie.
    return undefined
  }
}
