import type { IncomingHttpHeaders } from 'node:http'
import type { Call } from '../call.ts'
import type { Ability } from './abilities.ts'
import type { LimitName } from './limits.ts'
import type { Permission } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Which shape an error has (`dialects.ts`). `track` and `catalog`: a refusal of what was sent always has `errors`. */
export type Dialect = 'standard' | 'track' | 'catalog' | 'scim'

/** Query values by name, always as lists: `a=1`, `a[]=1&a[]=2`, `a%5B%5D=1` and repeated `a=1&a=2` all arrive under `a`. */
export type Query = { readonly [name: string]: readonly string[] | undefined }

/** A JSON Schema (a TypeBox schema is one). It describes the interface in `/openapi.json`; the verb judges what arrives. */
export type Schema = object

export type Request = {
  /** The parsed JSON body; undefined when none was sent. A Buffer where the route takes bytes. */
  readonly body: unknown
  readonly bodyBytes: number
  /**
   * The body's text has a `\u` escape or the word `__proto__`, `constructor` or `prototype` in it. When false, no string in it
   * holds NUL or a lone surrogate and no key is one of those names, so nobody needs to look.
   */
  readonly suspicious: boolean
  readonly params: { readonly [name: string]: string | undefined }
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** A UUID, the `X-Request-Id` of the answer. */
  readonly request_id: string
}

/**
 * Who is answered at an endpoint. `admin`: the admin token, or somebody who has signed in and has the ability in the workspace that
 * the request names. `scim`: a SCIM token with its origin. Otherwise an API key with the permission, or nobody in particular.
 */
type Access =
  | {
      readonly permission: 'admin'
      readonly ability: Ability
      /** What somebody who has signed in needs beside it, by what the request says; nothing when absent. */
      readonly further?: (request: Request) => Ability | undefined
    }
  | { readonly permission: Permission | 'scim' | 'public'; readonly ability?: undefined; readonly further?: undefined }

/** One endpoint: its whole policy on one page, and the verb behind it. */
export type Route = Access & {
  readonly method: Method
  /** As the contract writes it: `/catalogs/{catalog_name}/items/{item_id}`. */
  readonly path: string
  readonly limit?: LimitName
  /** An `Idempotency-Key` makes a retry safe (`idempotency.ts` sets it). */
  readonly idempotent?: true
  readonly errors: Dialect
  /** One line for `/openapi.json`. */
  readonly summary?: string
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** `bytes`: the body is handed over as it arrived, a Buffer, for what is signed or is no JSON. JSON when absent. */
  readonly takes?: 'bytes'
  /** The one status of success and the shape of its body; null for an answer without a body (204). */
  readonly reply: { readonly [status: number]: Schema | null }
  /** Statuses of refusals that only some endpoints have, and what each means, for `/openapi.json`. */
  readonly refuses?: { readonly [status: number]: string }
  /** The body of the answer. `message: "success"` is added last where it has no `message`. Errors: `Failure`. */
  readonly handle: (call: Call, request: Request) => Promise<object | ReplyWithHeaders | undefined>
}

/** A body for an answer that says something in its headers too, or has a status of its own, such as 304. */
export class ReplyWithHeaders {
  readonly body: object | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly status: number | undefined

  constructor(body: object | undefined, headers: Readonly<Record<string, string>>, status?: number) {
    this.body = body
    this.headers = headers
    this.status = status
  }
}

export function defineRoute(route: Route): Route {
  return route
}

/** The status of success. */
export function statusOf({ reply }: Pick<Route, 'reply'>): number {
  return Number(Object.keys(reply)[0])
}
