import type { Log } from '../log.ts'
import { activeSpan } from '../telemetry.ts'
import { backendOf } from './backends.ts'
import type { CopyTx, Db, TransactionOptions, Tx } from './db.ts'
import type { Placement } from './placement.ts'
import type { Registration } from './registration.ts'
import { retried } from './retry.ts'
import type { Session } from './session.ts'
import type { ShardCatalog } from './shard-catalog.ts'
import type { Sql } from './sql.ts'
import { recordStatement, recordTransaction } from './statement-spans.ts'
import { readOnlySnapshot } from './transaction-settings.ts'
import { Usage } from './usage.ts'

/** How long one command of maintenance or of a migration may take. */
export const MAINTENANCE_DEADLINE_MS = 600_000

/** The part that differs between the databases: how a session is opened. */
export interface Driver {
  readonly backend: Db['backend']
  /** Undefined for a database without shards. */
  readonly shards?: ShardCatalog
  /** Waits a limited time for a session. Throws `unavailable` when none is free by then. */
  acquire(): Promise<Session>
  /** Takes a session back. A lost one is dropped. */
  release(session: Session): void
  /** Resolves when every session was released and is closed. */
  close(): Promise<void>
}

/** Returns the `Db` that runs on a driver. */
export function createDb(driver: Driver, log: Log): Db {
  const usage = new Usage()
  async function withSession<T>(work: (session: Session) => Promise<T>): Promise<T> {
    usage.note()
    try {
      const session = await driver.acquire()
      try {
        return await work(session)
      } finally {
        driver.release(session)
      }
    } finally {
      usage.note()
    }
  }
  // With one session no other transaction is open at the same time, so nobody waits for one.
  const isConcurrent = backendOf(driver).sessions > 1
  const { shards } = driver
  return {
    backend: driver.backend,
    log,
    get placement() {
      return shards?.placement
    },
    query<Row>(statement: Sql) {
      const span = activeSpan()
      if (span === undefined) return withSession((session) => session.query<Row>(statement))
      return recordStatement(span, statement, () => withSession((session) => session.query<Row>(statement)))
    },
    transaction(work, options = {}) {
      const registersAs = options.registersAs ?? usualRegistration(options.settings)
      const own: TransactionOptions = { ...options, registersAs: isConcurrent ? registersAs : 'nothing' }
      const once = () => withSession((session) => inTransaction(session, work, own, shards))
      const attempt = shards === undefined ? once : () => againAfterSplit(shards, once)
      const span = activeSpan()
      return span === undefined ? retried(attempt) : recordTransaction(span, () => retried(attempt))
    },
    execute: (text) => withSession((session) => session.maintain(text, MAINTENANCE_DEADLINE_MS)),
    close: () => driver.close(),
    usage,
  }
}

const [oneSnapshot, readOnly] = readOnlySnapshot

/** Returns what a transaction with these settings registers as, unless it says so itself. */
function usualRegistration(settings: readonly string[] = []): Registration {
  if (settings.includes(readOnly)) return 'nothing'
  // Its only snapshot would be taken before the lock of its registration, so a wait could miss it.
  if (settings.includes(oneSnapshot)) throw new Error('a transaction that sees one snapshot must be read-only')
  return 'people'
}

async function inTransaction<T>(
  session: Session,
  work: (tx: Tx) => Promise<T>,
  options: TransactionOptions,
  shards: ShardCatalog | undefined,
): Promise<T> {
  const placement = shards && (await shards.refresh((statement) => session.query(statement)))
  const tx = new OpenTransaction(session, options, placement, shards !== undefined)
  try {
    const working = work(tx)
    const begun = tx.begin()
    // Even if BEGIN fails, wait for the work: it must not continue after the transaction has ended.
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

/** The SQLSTATE of a statement that is not supported, as one is that locks rows of two shards. */
const notSupported = '0A000'

/** Runs a transaction again when it was refused and the shards are not those that it knew: one of them was split. */
async function againAfterSplit<T>(shards: ShardCatalog, attempt: () => Promise<T>): Promise<T> {
  const { placement } = shards
  try {
    return await attempt()
  } catch (error) {
    if ((error as { code?: unknown }).code !== notSupported) throw error
    shards.forget()
    return attempt().catch((again: unknown) => {
      throw shards.placement === placement ? error : again
    })
  }
}

/** The session for the duration of a transaction: afterwards another caller has it. */
class OpenTransaction implements CopyTx {
  #session: Session | undefined
  readonly #options: TransactionOptions
  readonly placement: Placement | undefined
  /** Whether each command is a text of its own. Citus refuses several in one, also before the tables are distributed. */
  readonly #apart: boolean
  #beginning: Promise<unknown[]> | undefined
  #open = false
  #failure: unknown

  constructor(session: Session, options: TransactionOptions, placement: Placement | undefined, apart: boolean) {
    this.#session = session
    this.#options = options
    this.placement = placement
    this.#apart = apart
  }

  /** Sends BEGIN alone, unless the first statement has sent it already. */
  begin(): Promise<unknown> {
    this.#beginning ??= this.#begin()
    return this.#beginning
  }

  query<Row>(statement: Sql): Promise<Row[]> {
    const span = activeSpan()
    return span === undefined
      ? this.#query(statement)
      : recordStatement(span, statement, () => this.#query<Row>(statement))
  }

  async #query<Row>(statement: Sql): Promise<Row[]> {
    if (!this.#session) throw new Error(`a statement was sent after its transaction had ended: ${statement.text}`)
    try {
      if (!this.#beginning) {
        const alone = statement.values.length === 0 && !this.#apart
        this.#beginning = this.#begin(alone ? statement.text : undefined)
        if (alone) return (await this.#beginning) as Row[]
      }
      // A write is not sent before BEGIN has been answered: if BEGIN fails, it would be a transaction of its own.
      if (!this.#open && !statement.pipelined) await this.#beginning
      return await this.#session.query(statement)
    } catch (error) {
      // Statements sent after a failed one are refused because of it, so its error is the reason for all of them.
      this.#failure ??= error
      throw this.#failure
    }
  }

  copyOut(text: string): Promise<Buffer> {
    return this.#copy((session) => session.copyOut(text))
  }

  copyIn(text: string, data: Buffer): Promise<number> {
    return this.#copy((session) => session.copyIn(text, data))
  }

  async #copy<T>(copy: (session: Session) => Promise<T>): Promise<T> {
    const session = this.#session
    if (!session) throw new Error('a copy was begun after its transaction had ended')
    try {
      await this.begin()
      return await copy(session)
    } catch (error) {
      this.#failure ??= error
      throw this.#failure
    }
  }

  async #begin(first?: string): Promise<unknown[]> {
    const rows = await this.#session!.begin(this.#options, first, this.#apart)
    this.#open = true
    return rows
  }

  end(): void {
    this.#session = undefined
  }
}
