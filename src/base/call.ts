import type { Clock } from './clock.ts'
import type { Db } from './db/db.ts'
import type { Log } from './log.ts'

/** Who asks: an API key, the holder of the admin token, or anybody at a public route. */
export type Actor = {
  readonly kind: 'key' | 'admin' | 'anonymous'
  readonly id: string
  readonly name: string
}

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
