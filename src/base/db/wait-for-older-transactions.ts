import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import { applicationName } from './backends.ts'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

const timeoutMsDefault = 30_000
const pauseMsMax = 100
/** How long an answer may be delayed. */
const answerMsMax = 5_000
/** A wait that lasts longer is logged. */
const logAfterMs = 1_000
/** The start of a statement names its table. */
const statementChars = 120

/** An open transaction, as a log line names it. */
type OpenTransaction = {
  /** Names the transaction as long as the server runs. */
  readonly id: string
  readonly pid: number
  readonly since: Date | null
  readonly state: string | null
  /** The statement that it runs, or ran last. Values are parameters, so it has none. */
  readonly statement: string | null
}

/**
 * Resolves when every transaction of Easel in this database that had a transaction id at the call has ended, so that all transactions of
 * Easel from then on see what was committed before the call. A transaction gets its id with its first write or by `assignTransactionId`.
 * Other databases of the server, and other applications in this one, are not waited for: they neither write people nor hand over mail.
 * Rejects with `unavailable` after `timeoutMs` of machine time. Takes one query when no transaction is open.
 */
export async function waitForOlderTransactions(db: Db, timeoutMs = timeoutMsDefault): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs)
  const long = AbortSignal.timeout(logAfterMs)
  let older = await listOpen(db)
  let isLogged = false
  for (let pauseMs = 1; older.length > 0; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    if (late.aborted) throw unavailable('The database is busy')
    if (long.aborted && !isLogged) {
      isLogged = true
      const waits_for = older.map(({ id: _, ...shown }) => shown)
      db.log.warn({ waits_for }, 'a request or a merge waits for transactions of Easel that do not end')
    }
    await pause(pauseMs)
    const open = new Set((await listOpen(db)).map(({ id }) => id))
    older = older.filter(({ id }) => open.has(id))
  }
}

/** Waits for older transactions before an answer. Returns without an error when they last longer than `timeoutMs`. */
export async function waitBrieflyForOlderTransactions(db: Db, timeoutMs = answerMsMax): Promise<void> {
  try {
    await waitForOlderTransactions(db, timeoutMs)
  } catch {
    // The caller has committed already. A transaction that hangs, or a lost database, must not turn that into an error.
  }
}

/**
 * Lists the transactions of Easel in this database that have a transaction id: each holds a lock on its own id until its changes are
 * visible. A transaction that gets its id after this statement takes its next snapshot after it as well.
 */
function listOpen(db: Db): Promise<OpenTransaction[]> {
  return db.query<OpenTransaction>(sql`
    select l.virtualtransaction as id, l.pid, a.xact_start as since, a.state, left(a.query, ${statementChars}) as statement
    from pg_locks l join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted and l.pid <> pg_backend_pid()
      and a.datname = current_database() and a.application_name = ${applicationName}`)
}
