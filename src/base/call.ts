import type { Clock } from './clock.ts'
import type { Db } from './db/db.ts'
import type { Log } from './log.ts'

/** Where a request came from: the IP address, and the `X-Request-Id` of its answer. */
export type RequestSource = { readonly ip: string; readonly request_id: string }

/** The source of work without a request: the command line, a start, a timer. */
export const noRequest: RequestSource = { ip: '', request_id: '' }

/**
 * The actor of a call: an API key, the admin token, a signed-in account, an identity provider (`scim`), an anonymous caller of a public
 * route, or this service itself (`system`).
 */
export type Actor = {
  readonly kind: 'key' | 'admin' | 'anonymous' | 'account' | 'scim' | 'system'
  readonly id: string
  readonly name: string
  readonly from: RequestSource
  /** False for a SCIM token that may not change permissions of accounts. */
  readonly mayGrant?: boolean
}

/** The actor of changes that the service makes by itself, such as those of the environment at a start. */
export const systemActor: Actor = { kind: 'system', id: 'system', name: 'Easel', from: noRequest }

/** The argument of every verb, from a route or from the command line. Services that only one verb needs are bound to that verb instead. */
export type Call = {
  readonly db: Db
  readonly workspace_id: number
  readonly actor: Actor
  /** Whether an object is refused when the answer would name something of it that is not kept (`http/notices.ts`). */
  readonly strict: boolean
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the service must end at once. */
  readonly signal: AbortSignal
}
