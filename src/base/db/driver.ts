import type { Db, Tx } from './db.ts'
import { retried } from './retry.ts'
import type { Session } from './session.ts'
import type { Sql } from './sql.ts'

/** Maintenance and migrations may take this long per command. */
export const MAINTENANCE_DEADLINE_MS = 600_000

/** What differs between the databases: where a session comes from. Everything else is written once, below. */
export interface Driver {
  readonly backend: Db['backend']
  /** Waits a bounded time for a session; throws `unavailable` when there is none. */
  acquire(): Promise<Session>
  /** Takes a session back; a lost one is dropped. */
  release(session: Session): void
  /** Ends when everybody has given back what they hold. */
  close(): Promise<void>
}

/** The `Db` over a driver. */
export function createDb(driver: Driver): Db {
  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const session = await driver.acquire()
    try {
      return await work(session)
    } finally {
      driver.release(session)
    }
  }
  return {
    backend: driver.backend,
    query: (statement) => withSession((session) => session.query(statement)),
    transaction: (work, options = {}) =>
      retried(() =>
        withSession(async (session) => {
          await session.begin(options.settings, options.deadlineMs)
          return inTransaction(session, work)
        }),
      ),
    execute: (text) => withSession((session) => session.maintain(text, MAINTENANCE_DEADLINE_MS)),
    close: () => driver.close(),
  }
}

async function inTransaction<T>(session: Session, work: (tx: Tx) => Promise<T>): Promise<T> {
  const tx = new OpenTransaction(session)
  try {
    const result = await work(tx)
    tx.end()
    await session.commit()
    return result
  } catch (error) {
    tx.end()
    await session.rollback()
    throw error
  }
}

/** The session as long as the transaction lasts: afterwards it belongs to somebody else. */
class OpenTransaction implements Tx {
  #session: Session | undefined

  constructor(session: Session) {
    this.#session = session
  }

  query<Row>(statement: Sql): Promise<Row[]> {
    if (!this.#session)
      return Promise.reject(new Error(`a statement came after its transaction had ended: ${statement.text}`))
    return this.#session.query(statement)
  }

  end(): void {
    this.#session = undefined
  }
}
