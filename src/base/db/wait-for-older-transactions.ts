import { setTimeout as pause } from 'node:timers/promises'
import { unavailable } from '../errors.ts'
import { int4Array } from './arrays.ts'
import type { Db } from './db.ts'
import { registrationClass, registrationLocks, type Waited } from './registration.ts'
import { prepared, sql } from './sql.ts'

const timeoutMsDefault = 30_000
const pauseMsMax = 100
/** How long an answer may be delayed. */
const answerMsMax = 5_000
/** A wait that lasts longer is logged. */
const logAfterMs = 1_000
/** The start of a statement names its table. */
const statementChars = 120

const everything = Object.keys(registrationLocks) as Waited[]

/** What is asked: a database, or a transaction that waits. */
type Asked = Pick<Db, 'query' | 'log'>

/** A transaction that has registered. `id` names it as long as the server runs. */
type OpenTransaction = { readonly id: string; readonly pid: number }

/**
 * Resolves when every transaction of Easel in this database that had registered as one of `waited` before the call has ended, and what it
 * wrote is visible. So all of these transactions from then on see what was committed before the call: a transaction registers before its
 * first snapshot (`registration.ts`). No other transaction of the server is waited for.
 * Rejects with `unavailable` after `timeoutMs` of machine time. Takes one query when no transaction is open.
 */
export async function waitForOlderTransactions(
  db: Asked,
  waited: readonly Waited[] = everything,
  timeoutMs = timeoutMsDefault,
): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs)
  const long = AbortSignal.timeout(logAfterMs)
  let older = await listOpen(db, waited)
  let isLogged = false
  for (let pauseMs = 1; older.length > 0; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    if (late.aborted) throw unavailable('The database is busy')
    if (long.aborted && !isLogged) {
      isLogged = true
      const waits_for = await describe(db, older)
      db.log.warn({ waits_for }, 'a request or a merge waits for transactions of Easel that do not end')
    }
    await pause(pauseMs)
    const open = new Set((await listOpen(db, waited)).map(({ id }) => id))
    older = older.filter(({ id }) => open.has(id))
  }
}

/** Waits for older transactions before an answer. Returns without an error when they last longer than `timeoutMs`. */
export async function waitBrieflyForOlderTransactions(
  db: Db,
  waited: readonly Waited[],
  timeoutMs = answerMsMax,
): Promise<void> {
  try {
    await waitForOlderTransactions(db, waited, timeoutMs)
  } catch {
    // The caller has committed already. A transaction that hangs, or a lost database, must not turn that into an error.
  }
}

/** Lists the other open transactions that have registered as one of `waited`: the caller may be in one, as when the demo is loaded. */
function listOpen(db: Asked, waited: readonly Waited[]): Promise<OpenTransaction[]> {
  return db.query<OpenTransaction>(
    prepared(sql`
    select virtualtransaction as id, pid from pg_locks
    where locktype = 'advisory' and granted and pid <> pg_backend_pid() and classid = ${registrationClass}::int8::oid
      and objid = any(${int4Array(waited.map((each) => registrationLocks[each]))}::int4[]::oid[]) and objsubid = 2
      and database = (select oid from pg_database where datname = current_database())`),
  )
}

/** Describes transactions for a log line. Values of statements are parameters, so the statements have none. */
function describe(db: Asked, open: readonly OpenTransaction[]): Promise<object[]> {
  return db.query<object>(sql`
    select pid, xact_start as since, state, left(query, ${statementChars}) as statement
    from pg_stat_activity where pid = any(${int4Array(open.map(({ pid }) => pid))}::int4[]) order by pid`)
}
