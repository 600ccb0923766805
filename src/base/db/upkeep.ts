import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

const LOOK_MS = 5_000
/**
 * Nobody is served during upkeep: with a million people a second for a checkpoint, up to two for a vacuum. Afterwards its kind rests as
 * many times as long, and the other kind some of that, so that what they delay is less than one request in a hundred.
 */
const CHECKPOINT_REST = 25
const VACUUM_REST = 200
const UPKEEP_REST = 10
/** Checkpoints rest no longer once the log is as many times as long as it should be. */
const WAL_EXCESS_MAX = 4
/** As autovacuum counts: a fixed part and a share of the table, of dead and new rows for a vacuum, of changed ones for statistics. */
const ROWS_MIN = 1_000
const DIRTY_SHARE = 0.2
const STALE_SHARE = 0.1
/** Far below the two billion transactions at which the engine stops, and above what happens in a day. */
const AGE_MAX = 150_000_000

export type UpkeepOptions = { walBytesMax: number; clock: Pick<Clock, 'elapsed'> }

/**
 * What a server does by itself and a single-user engine does not: checkpoints by the size of the write-ahead log, which is what a
 * start after a kill has to replay, and vacuum. Answers a function that ends it.
 */
export function startUpkeep(db: Db, order: UpkeepOptions, log: Log): () => void {
  const look = openUpkeep(db, order)
  let atWork = false
  const timer = setInterval(async () => {
    if (atWork) return
    atWork = true
    await look().catch((error: unknown) => log.warn({ err: error }, 'upkeep of the embedded database failed'))
    atWork = false
  }, LOOK_MS).unref()
  return () => clearInterval(timer)
}

/** Looks once, each time it is called, and does what is due. */
export function openUpkeep(db: Db, { walBytesMax, clock }: UpkeepOptions): () => Promise<void> {
  const checkpoints = new Pace(clock, CHECKPOINT_REST)
  const vacuums = new Pace(clock, VACUUM_REST)
  const upkeep = new Pace(clock, UPKEEP_REST)
  return async () => {
    const bytesMax = upkeep.isRested && checkpoints.isRested ? walBytesMax : walBytesMax * WAL_EXCESS_MAX
    if (await isLogLonger(db, bytesMax)) await upkeep.run(() => checkpoints.run(() => db.execute('checkpoint')))
    if (upkeep.isRested && vacuums.isRested) await upkeep.run(() => vacuums.run(() => tidyWorst(db)))
  }
}

/** Work that rests afterwards, so many times as long as it took. */
class Pace {
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

/** Whether a start after a kill would have to replay more than that. */
async function isLogLonger(db: Db, bytes: number): Promise<boolean> {
  const [wal] = await db.query<{ bytes: string }>(
    sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
  )
  return Number(wal!.bytes) > bytes
}

/** Vacuums or analyzes the table that needs it most, if any does. */
async function tidyWorst(db: Db): Promise<void> {
  // Alone in its process, the engine never finds the moment to publish what it counted.
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
