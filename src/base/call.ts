import type { Clock } from './clock.ts'
import type { Db } from './db/db.ts'
import type { Log } from './log.ts'

/** Where a request came from: an address, and the `X-Request-Id` of its answer. */
export type RequestSource = { readonly ip: string; readonly request_id: string }

/** What has no request behind it: the command line, a start, a timer. */
export const noRequest: RequestSource = { ip: '', request_id: '' }

/**
 * Who asks: an API key, the holder of the admin token, somebody who has signed in (`account`), an identity provider (`scim`),
 * anybody at a public route, or this service itself (`system`).
 */
export type Actor = {
  readonly kind: 'key' | 'admin' | 'anonymous' | 'account' | 'scim' | 'system'
  readonly id: string
  readonly name: string
  readonly from: RequestSource
}

/** Who acts where nobody has asked: what the environment says at a start. */
export const systemActor: Actor = { kind: 'system', id: 'system', name: 'Easel', from: noRequest }

/** What every verb is handed, whichever door it came through. Six members and no more; what one verb needs is bound to it. */
export type Call = {
  readonly db: Db
  readonly workspace_id: number
  readonly actor: Actor
  readonly clock: Clock
  readonly log: Log
  /** Aborted when the service is told to leave at once. */
  readonly signal: AbortSignal
}
