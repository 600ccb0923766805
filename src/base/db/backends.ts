import type { Db } from './db.ts'

export type Backend = {
  /** Sessions at the same time. With one, a transaction holds up every other statement. */
  sessions: number
}

/** The one table of what a database can do, grown as differences matter. Nothing else asks for a database by name. */
export const backends: Readonly<Record<Db['backend'], Backend>> = {
  pglite: { sessions: 1 },
  postgres: { sessions: 10 },
}
