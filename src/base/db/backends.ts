import type { Db } from './db.ts'

/** The capabilities of a database. Other code checks these; only `src/base/db` knows which database it is. */
export type Backend = {
  /** The name on the home page. */
  readonly label: string
  /** Sessions at the same time. With one, a transaction delays every other statement. */
  readonly sessions: number
  /** Whether several processes can use it at once. If not, every lease that a new process finds belongs to a process that has ended. */
  readonly isShared: boolean
  /** Whether it is a server with a clock of its own, which all its processes follow. */
  readonly hasClock: boolean
  /** Whether an operator chooses its version and its settings, among them those of durability. */
  readonly isOperated: boolean
}

/** The name of every session of Easel. By it Easel recognises its own transactions among those of the server. */
export const applicationName = 'easel'

/** Extend this table when another difference matters. */
const backends: Readonly<Record<Db['backend'], Backend>> = {
  pglite: { label: 'embedded', sessions: 1, isShared: false, hasClock: false, isOperated: false },
  postgres: { label: 'PostgreSQL', sessions: 10, isShared: true, hasClock: true, isOperated: true },
}

export function backendOf({ backend }: Pick<Db, 'backend'>): Backend {
  return backends[backend]
}
