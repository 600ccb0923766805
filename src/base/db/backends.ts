import type { Db } from './db.ts'

export type Backend = {
  /** Sessions at the same time. With one, a transaction holds up every other statement. */
  sessions: number
  /** Several processes may use the same database. */
  shared: boolean
  /** Checkpoints and vacuum happen by themselves; without it the driver sees to them. */
  tidiesItself: boolean
  /** `statement_timeout` and `lock_timeout` have an effect. */
  timesOut: boolean
}

/** The one table of what a database can do. Code and tests ask it; nothing asks for a database by name. */
export const backends: Readonly<Record<Db['backend'], Backend>> = {
  pglite: { sessions: 1, shared: false, tidiesItself: false, timesOut: false },
  postgres: { sessions: 10, shared: true, tidiesItself: true, timesOut: true },
}
