import { Failure } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Placement } from './placement.ts'
import type { Registration } from './registration.ts'
import type { Sql } from './sql.ts'
import type { Usage } from './usage.ts'

/** Runs statements, in a transaction or alone. Rows are plain objects with snake_case names, as in SQL. */
export interface Tx {
  /**
   * Column types, the same with both drivers: int2/int4/float -> number, int8 -> string, bool -> boolean, text -> string,
   * timestamptz -> Date, numeric -> string, json/jsonb -> parsed, bytea -> Buffer, arrays of these -> arrays.
   */
  query<Row>(statement: Sql): Promise<Row[]>
  /** Undefined unless the tables of people are distributed by bucket. Use it by `by-shard.ts`. */
  readonly placement?: Placement | undefined
}

/** Also copies rows in the format of PostgreSQL, which is the same for both databases. A transaction of `openDb` is one: see `copyTx`. */
export interface CopyTx extends Tx {
  /** Runs COPY TO STDOUT. All it sends is kept in memory. */
  copyOut(text: string): Promise<Buffer>
  /** Runs COPY FROM STDIN with these bytes. Returns the number of rows. */
  copyIn(text: string, data: Buffer): Promise<number>
}

export type TransactionOptions = {
  /** Settings for this transaction only, each an assignment for `set local` such as `enable_hashjoin = off`. */
  settings?: readonly string[]
  /** Milliseconds that one statement may take before its session is dropped. */
  deadlineMs?: number
  /** What `waitForOlderTransactions` knows it as. By default `people`, and `nothing` with `readOnlySnapshot`. */
  registersAs?: Registration
}

/** The files of an embedded database on disk. */
export type DatabaseFiles = {
  /** The data directory: the folder `database`, and what lies beside it. */
  readonly dataDir: string
  /**
   * Waits for upkeep in progress, and lets no checkpoint begin until the returned function is called. Meanwhile the write-ahead log keeps
   * every change, so files that are copied one after the other can be made consistent by it.
   */
  holdCheckpoints(): Promise<() => void>
}

export interface Db extends Tx {
  readonly backend: 'pglite' | 'postgres'
  readonly log: Log
  /** Undefined for a database in memory and for a server. */
  readonly files?: DatabaseFiles
  /**
   * Runs `work` in one transaction: commits when it returns, rolls back when it throws. Deadlocks and lock timeouts are retried
   * (`retry.ts`), so `work` may run several times. A first statement without parameters is sent together with BEGIN.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Runs several commands without parameters, in simple query mode and outside a transaction: migrations, maintenance. */
  execute(text: string): Promise<void>
  close(): Promise<void>
  /** How this process uses the database. Undefined where it is not counted. */
  readonly usage?: Usage | undefined
}

/** The connection was lost between COMMIT and its answer: the transaction may or may not be committed. */
export class OutcomeUnknown extends Failure {
  constructor(cause: unknown) {
    super('unavailable', 'The outcome of this request is not known', { retryAfterS: 1 }, cause)
    this.name = 'OutcomeUnknown'
  }
}
