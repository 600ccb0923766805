import { backendOf } from './backends.ts'
import type { Db, TransactionOptions, Tx } from './db.ts'
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
  // Numbers tell transactions apart that are open at the same time.
  const together = backendOf(driver).sessions > 1
  return {
    backend: driver.backend,
    query: (statement) => withSession((session) => session.query(statement)),
    transaction(work, { assignTransactionId = false, ...options } = {}) {
      const own = { ...options, assignTransactionId: assignTransactionId && together }
      return retried(() => withSession((session) => inTransaction(session, work, own)))
    },
    execute: (text) => withSession((session) => session.maintain(text, MAINTENANCE_DEADLINE_MS)),
    close: () => driver.close(),
  }
}

async function inTransaction<T>(
  session: Session,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions,
): Promise<T> {
  const tx = new OpenTransaction(session, options)
  try {
    const working = work(tx)
    const begun = tx.begin()
    // The work is waited for even if that fails: nobody may go on when the transaction has ended.
    begun.catch(() => {})
    const result = await working
    await begun
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
  readonly #options: TransactionOptions
  #beginning: Promise<unknown[]> | undefined
  #open = false
  #failure: unknown

  constructor(session: Session, options: TransactionOptions) {
    this.#session = session
    this.#options = options
  }

  /** Begins by itself unless the first statement has come already. */
  begin(): Promise<unknown> {
    this.#beginning ??= this.#begin()
    return this.#beginning
  }

  async query<Row>(statement: Sql): Promise<Row[]> {
    if (!this.#session) throw new Error(`a statement came after its transaction had ended: ${statement.text}`)
    try {
      if (!this.#beginning) {
        const alone = statement.values.length === 0
        this.#beginning = this.#begin(alone ? statement.text : undefined)
        if (alone) return (await this.#beginning) as Row[]
      }
      // Never sent behind a BEGIN that may have failed alone, unless it only reads: it would be a transaction of its own.
      if (!this.#open && !statement.pipelined) await this.#beginning
      return await this.#session.query(statement)
    } catch (error) {
      // Statements that were sent meanwhile are refused only because one before them failed: that one is the reason.
      this.#failure ??= error
      throw this.#failure
    }
  }

  async #begin(first?: string): Promise<unknown[]> {
    const rows = await this.#session!.begin(this.#options, first)
    this.#open = true
    return rows
  }

  end(): void {
    this.#session = undefined
  }
}
