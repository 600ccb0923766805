import { Failure } from '../errors.ts'
import type { Sql } from './sql.ts'

/** What a verb may do with storage: run statements. Rows come back as plain objects, snake_case as in SQL. */
export interface Tx {
  /**
   * Column types, the same for both drivers: int2/int4/float -> number, int8 -> string, bool -> boolean, text -> string,
   * timestamptz -> Date, numeric -> string, json/jsonb -> parsed, bytea -> Buffer, arrays of these -> arrays.
   */
  query<Row>(statement: Sql): Promise<Row[]>
}

export type TransactionOptions = {
  /** Settings for this transaction only, each a complete `set local` assignment such as `enable_hashjoin = off`. */
  settings?: readonly string[]
  /** Milliseconds a single statement may take before its session is given up. */
  deadlineMs?: number
  /** Takes its number before it reads anything, so that `waitForOlderTransactions` waits for it whatever it has read. */
  assignTransactionId?: boolean
}

export interface Db extends Tx {
  readonly backend: 'pglite' | 'postgres'
  /**
   * Runs `work` in one transaction; commits when it returns, rolls back when it throws. Deadlocks are retried (`retry.ts`). A statement
   * without parameters that `work` sends at once goes along with BEGIN.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions): Promise<T>
  /** Several commands without parameters, in simple query mode and outside any transaction of ours: migrations, maintenance. */
  execute(text: string): Promise<void>
  close(): Promise<void>
}

/** The connection was lost between sending COMMIT and its answer: the transaction may or may not have happened. */
export class OutcomeUnknown extends Failure {
  constructor(cause: unknown) {
    super('unavailable', 'The outcome of this request is not known', { retryAfterS: 1 }, cause)
    this.name = 'OutcomeUnknown'
  }
}
