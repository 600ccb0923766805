import type { Clock } from '../clock.ts'
import { startInterval } from '../interval.ts'
import type { Log } from '../log.ts'
import type { DatabaseFiles, Db } from './db.ts'
import { sql } from './sql.ts'

const CHECK_EVERY_MS = 5_000
/** While the database is hardly used, it is checked only every `QUIET_MS`. A statement is two uses. */
const QUIET_USES = 60
const QUIET_MS = 30_000
/**
 * No statement runs during upkeep: with a million people a checkpoint takes a second and a vacuum up to two. Afterwards the same kind of
 * upkeep rests for this many times as long, and all upkeep for `UPKEEP_REST` times as long. So it delays fewer than one request in 100.
 */
const CHECKPOINT_REST = 25
const VACUUM_REST = 200
const UPKEEP_REST = 10
/** Checkpoints do not rest when the log is this many times as long as it should be. */
const WAL_EXCESS_MAX = 4
/** As autovacuum: a fixed number of rows plus a share of the table. Dead and new rows count for a vacuum, changed rows for statistics. */
const ROWS_MIN = 1_000
const DIRTY_SHARE = 0.2
const STALE_SHARE = 0.1
/** In transactions: far below the two billion at which the engine stops, and more than there are in a day. */
const AGE_MAX = 150_000_000

export type Upkeep = { stop(): void; holdCheckpoints: DatabaseFiles['holdCheckpoints'] }

export type UpkeepOptions = { walBytesMax: number; clock: Pick<Clock, 'elapsed'> }

/**
 * Does the upkeep that a server does by itself and a single-user engine does not: checkpoints by the size of the write-ahead log, which a
 * start after a kill must replay, and vacuum.
 */
export function startUpkeep(db: Db, options: UpkeepOptions, log: Log): Upkeep {
  let holders = 0
  let turn = Promise.resolve()
  const runDue = openUpkeep(db, options, () => holders > 0)
  let [checkedUses, checkedMs] = [0, options.clock.elapsed()]
  const run = () => {
    const [uses, nowMs] = [db.usage?.count ?? 0, options.clock.elapsed()]
    if (uses - checkedUses < QUIET_USES && nowMs - checkedMs < QUIET_MS) return turn
    checkedUses = uses
    checkedMs = nowMs
    turn = runDue().catch((error: unknown) => log.warn({ err: error }, 'upkeep of the embedded database failed'))
    return turn
  }
  return {
    stop: startInterval(run, CHECK_EVERY_MS),
    async holdCheckpoints() {
      holders++
      await turn
      return () => {
        holders--
      }
    },
  }
}

/** Returns a function that does the upkeep that is due at each call. `isHeld`: no checkpoint may begin now. */
export function openUpkeep(db: Db, { walBytesMax, clock }: UpkeepOptions, isHeld = () => false): () => Promise<void> {
  const checkpoints = new PacedWork(clock, CHECKPOINT_REST)
  const vacuums = new PacedWork(clock, VACUUM_REST)
  const upkeep = new PacedWork(clock, UPKEEP_REST)
  return async () => {
    const bytesMax = upkeep.isRested && checkpoints.isRested ? walBytesMax : walBytesMax * WAL_EXCESS_MAX
    if (!isHeld() && (await isLogLonger(db, bytesMax)))
      await upkeep.run(() => checkpoints.run(() => db.execute('checkpoint')))
    if (upkeep.isRested && vacuums.isRested) await upkeep.run(() => vacuums.run(() => vacuumWorst(db)))
  }
}

/** Work that rests after each run, for `rest` times as long as the run took. */
class PacedWork {
  readonly #clock: Pick<Clock, 'elapsed'>
  readonly #rest: number
  #restedAtMs = 0

  constructor(clock: Pick<Clock, 'elapsed'>, rest: number) {
    this.#clock = clock
    this.#rest = rest
  }

  get isRested(): boolean {
    return this.#clock.elapsed() >= this.#restedAtMs
  }

  async run(work: () => Promise<void>): Promise<void> {
    const startedMs = this.#clock.elapsed()
    await work().finally(() => {
      const endedMs = this.#clock.elapsed()
      this.#restedAtMs = endedMs + this.#rest * (endedMs - startedMs)
    })
  }
}

/** Whether a start after a kill would have to replay more than this many bytes. */
async function isLogLonger(db: Db, bytes: number): Promise<boolean> {
  const [wal] = await db.query<{ bytes: string }>(
    sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
  )
  return Number(wal!.bytes) > bytes
}

/** Vacuums or analyzes the table that needs it most, if one does. */
async function vacuumWorst(db: Db): Promise<void> {
  // A server publishes its counts of rows when a session is idle, which the embedded engine never is.
  await db.query(sql`select pg_stat_force_next_flush()`)
  const [worst] = await db.query<{ command: string }>(sql`
    select format('%s %I.%I', case when not dirty then 'analyze' when not stale then 'vacuum' else 'vacuum (analyze)' end,
      s.schemaname, s.relname) as command
    from pg_stat_all_tables s join pg_class c on c.oid = s.relid and c.relkind = 'r',
      lateral (select greatest(c.reltuples, 0) as rows, age(c.relfrozenxid) as age),
      lateral (select
        greatest(s.n_dead_tup, s.n_ins_since_vacuum) > ${ROWS_MIN} + ${DIRTY_SHARE}::float8 * rows or age > ${AGE_MAX} as dirty,
        s.n_mod_since_analyze > ${ROWS_MIN} + ${STALE_SHARE}::float8 * rows as stale)
    where dirty or stale
    order by age > ${AGE_MAX} desc, greatest(s.n_dead_tup, s.n_ins_since_vacuum, s.n_mod_since_analyze) desc limit 1`)
  if (worst) await db.execute(worst.command)
}
