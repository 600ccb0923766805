import type { IncomingHttpHeaders } from 'node:http'
import type { Call } from '../call.ts'
import type { Ability } from './abilities.ts'
import type { LimitName } from './limits.ts'
import type { Permission } from './permissions.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The shape of errors (`dialects.ts`). With `track` and `catalog` a refusal of the content always has `errors`. */
export type Dialect = 'standard' | 'track' | 'catalog' | 'scim'

/** Query values by name, always as lists: `a=1`, `a[]=1&a[]=2`, `a%5B%5D=1` and `a=1&a=2` are all values of `a`. */
export type Query = { readonly [name: string]: readonly string[] | undefined }

/** A JSON Schema, such as a TypeBox schema. It describes the API in `/openapi.json`; the verb checks the request itself. */
export type Schema = object

export type Request = {
  /** The parsed JSON body; undefined when none was sent. A Buffer where the route takes bytes. */
  readonly body: unknown
  readonly bodyBytes: number
  /**
   * Whether the text of the body has a `\u` escape or one of `__proto__`, `constructor` and `prototype` in it. When false, no string has
   * NUL or a lone surrogate in it and no key is one of those names, so a verb need not check for them.
   */
  readonly suspicious: boolean
  readonly params: { readonly [name: string]: string | undefined }
  readonly query: Query
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  /** A UUID, the `X-Request-Id` of the answer. */
  readonly request_id: string
  /** Whether a signed-in account has an ability in the workspace of the request. Absent for other callers: they may do everything. */
  readonly may?: (ability: Ability) => boolean
}

/** A request before its body is read. */
export type RequestHead = Omit<Request, 'body' | 'bodyBytes' | 'suspicious'>

/**
 * Who may use an endpoint. `admin`: the admin token, or a signed-in account with the ability in the workspace of the request. `scim`: a
 * SCIM token with its origin. `public`: all callers. Otherwise an API key with the permission.
 */
type Access =
  | {
      readonly permission: 'admin'
      readonly ability: Ability
      readonly keyMember?: undefined
      /** Returns the further abilities that a signed-in account needs for this request. */
      readonly furtherAbilities?: (request: Request) => readonly Ability[]
    }
  | {
      readonly permission: Permission | 'scim' | 'public'
      /** The member of the body in which the key of a request without `Authorization` is sent. Only with a permission of keys. */
      readonly keyMember?: string
      readonly ability?: undefined
      readonly furtherAbilities?: undefined
    }

/** One endpoint: its policy and its verb. */
export type Route = Access & {
  readonly method: Method
  /** As in the contract: `/catalogs/{catalog_name}/items/{item_id}`. */
  readonly path: string
  readonly limit?: LimitName
  /** Whether an `Idempotency-Key` makes a retry safe; `idempotency.ts` sets it. */
  readonly idempotent?: true
  /** Whether answers have an ETag; `etag.ts` sets it. */
  readonly tagged?: true
  readonly errors: Dialect
  /** One line for `/openapi.json`. */
  readonly summary?: string
  readonly params?: Schema
  readonly query?: Schema
  readonly body?: Schema
  /** A body that is accepted, for `/openapi.json`. */
  readonly example?: object
  /** `bytes`: the body is a Buffer, because it is signed or is not JSON. Absent: the body is parsed as JSON. */
  readonly takes?: 'bytes'
  /** Whether the body of success is JSON lines. `reply` then has the shape of one line. */
  readonly answersLines?: true
  /** The status of success and the shape of its body; null for an answer without a body (204). */
  readonly reply: { readonly [status: number]: Schema | null }
  /** Checks what can be checked before the body is read, such as what a public path names. Throws a `Failure`. */
  readonly admit?: (request: RequestHead) => void
  /** Descriptions of refusals by status, for `/openapi.json`. Only for those that not all endpoints have. */
  readonly refusals?: { readonly [status: number]: string }
  /** The shapes of the bodies of refusals that are not errors as others are, by status. */
  readonly refusedWith?: { readonly [status: number]: Schema }
  /** Returns the body of the answer, to which `message: "success"` is added unless it has a `message`. Throws a `Failure`. */
  readonly handle: (call: Call, request: Request) => Promise<object | ReplyWithHeaders | undefined>
}

/** The body of an answer with headers of its own, or with a status of its own such as 304. */
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

/** A body of JSON lines: one object in each line. */
export class JsonLines {
  readonly lines: readonly object[]

  constructor(lines: readonly object[]) {
    this.lines = lines
  }
}

export const jsonLinesType = 'application/x-ndjson'

export function defineRoute(route: Route): Route {
  return route
}

/** Returns the status of success. */
export function statusOf({ reply }: Pick<Route, 'reply'>): number {
  return Number(Object.keys(reply)[0])
}
