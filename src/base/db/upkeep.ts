import type { Log } from '../log.ts'
import type { Db } from './db.ts'
import { sql } from './sql.ts'

const LOOK_MS = 5_000
/** A vacuum is put off while others wait, but not for more looks than this in a row. */
const PUT_OFF_MAX = 12
/** As autovacuum counts: a fixed part and a share of the table. */
const ROWS_MIN = 1_000
const ROWS_SHARE = 0.1
/** Far below the two billion transactions at which the engine stops, and above what happens in a day. */
const AGE_MAX = 150_000_000

/**
 * What a server does by itself and a single-user engine does not: checkpoints by the size of the write-ahead log, which is what a
 * start after a kill has to replay, and vacuum. Answers a function that ends it.
 */
export function keepTidy(db: Db, isBusy: () => boolean, walBytesMax: number, log: Log): () => void {
  let putOff = 0
  let atWork = false
  async function look(): Promise<void> {
    await checkpointIfLong(db, walBytesMax)
    if (isBusy() && putOff++ < PUT_OFF_MAX) return
    putOff = 0
    await vacuumWorst(db)
  }
  const timer = setInterval(async () => {
    if (atWork) return
    atWork = true
    await look().catch((error: unknown) => log.warn({ err: error }, 'upkeep of the embedded database failed'))
    atWork = false
  }, LOOK_MS).unref()
  return () => clearInterval(timer)
}

export async function checkpointIfLong(db: Db, walBytesMax: number): Promise<void> {
  const [wal] = await db.query<{ bytes: string }>(
    sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
  )
  if (Number(wal!.bytes) > walBytesMax) await db.execute('checkpoint')
}

/** Vacuums the table that needs it most, if any does. */
export async function vacuumWorst(db: Db): Promise<void> {
  // Alone in its process, the engine never finds the moment to publish what it counted.
  await db.query(sql`select pg_stat_force_next_flush()`)
  const [worst] = await db.query<{ name: string }>(sql`
    select format('%I.%I', s.schemaname, s.relname) as name
    from pg_stat_all_tables s join pg_class c on c.oid = s.relid and c.relkind = 'r',
         greatest(s.n_dead_tup, s.n_mod_since_analyze, s.n_ins_since_vacuum) as touched,
         age(c.relfrozenxid) as age
    where touched > ${ROWS_MIN} + ${ROWS_SHARE}::float8 * greatest(c.reltuples, 0) or age > ${AGE_MAX}
    order by age > ${AGE_MAX} desc, touched desc limit 1`)
  if (worst) await db.execute(`vacuum (analyze) ${worst.name}`)
}
