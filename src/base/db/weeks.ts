import { bucketCount } from './buckets.ts'
import type { Db, Tx } from './db.ts'
import { raw, sql } from './sql.ts'

/** The tables of history, partitioned by the week of `time`. `<table>_old` is the default partition. */
export const HISTORY = ['event', 'purchase'] as const
/** The table of decisions, partitioned likewise. */
export const LEDGER = ['decision'] as const
/** The table of changes of the attributes that flows use, partitioned likewise. */
export const CHANGES = ['attribute_change'] as const
const TABLES = [...HISTORY, ...LEDGER, ...CHANGES] as const
/** History may be sent late. A decision is written at its time, by a clock that may be a little behind. */
const WEEKS_BACK: Readonly<Record<Table, number>> = { event: 13, purchase: 13, decision: 1, attribute_change: 1 }
const WEEKS_AHEAD = 3
const DAY_MS = 86_400_000
const WEEK_MS = 7 * DAY_MS
/** 1970 began on a Thursday. */
const FIRST_MONDAY_MS = -3 * DAY_MS
/** Old rows are deleted in pages of this many buckets. */
const BUCKETS_PER_PAGE = 64
/** Every writer queues behind a transaction that waits for this lock, so the wait must be short. The transaction is retried. */
const BOUNDED_LOCKS = ["lock_timeout = '2s'"]

type Table = (typeof TABLES)[number]

/**
 * Creates missing partitions: from 13 weeks before now (one for decisions) to 3 weeks after. Rows of such a week move there from the
 * default partition, which also has the rows of weeks that a virtual clock has skipped. Fast when none is missing.
 */
export async function ensureWeeks(db: Db, nowMs: number): Promise<void> {
  for (const table of TABLES) {
    if (missingWeeks(table, await listWeeks(db, table), nowMs).length === 0) continue
    const work = async (tx: Tx) => {
      // One process at a time. The second lock keeps new rows of these weeks out of the default partition meanwhile.
      await tx.query(raw(`lock table ${table} in share update exclusive mode`))
      const missing = missingWeeks(table, await listWeeks(tx, table), nowMs)
      await tx.query(raw(`lock table ${table}_old in access exclusive mode`))
      // They are sent at once, each as a text of its own: a distributed database refuses several commands in one.
      await Promise.all(missing.flatMap((week) => creationOf(table, week)).map((command) => tx.query(raw(command))))
    }
    await db.transaction(work, { settings: BOUNDED_LOCKS })
  }
}

/** Drops the weeks of these tables that end at or before the cutoff, and deletes older rows from their default partitions. */
export async function dropWeeksBefore(db: Db, cutoffMs: number, tables: readonly Table[] = HISTORY): Promise<void> {
  for (const table of tables) {
    const weeks = await listWeeks(db, table)
    const past = [...weeks.keys()].filter((week) => week + WEEK_MS <= cutoffMs)
    for (const week of past) {
      await db.transaction((tx) => tx.query(raw(`drop table if exists ${weeks.get(week)}`)), {
        settings: BOUNDED_LOCKS,
      })
    }
    await deleteOldRows(db, table, new Date(cutoffMs))
  }
}

/** Returns the start of the ISO week (UTC, Monday) of an instant, both in epoch milliseconds. */
export function weekStart(ms: number): number {
  return Math.floor((ms - FIRST_MONDAY_MS) / WEEK_MS) * WEEK_MS + FIRST_MONDAY_MS
}

/** Returns the name of a partition, `event_2026w01`: ISO year and week. A week belongs to the year of its Thursday. */
export function weekName(table: string, week: number): string {
  const thursdayMs = week + 3 * DAY_MS
  const year = new Date(thursdayMs).getUTCFullYear()
  const number = Math.floor((thursdayMs - Date.UTC(year, 0, 1)) / WEEK_MS) + 1
  return `${table}_${year}w${String(number).padStart(2, '0')}`
}

function missingWeeks(table: Table, present: ReadonlyMap<number, string>, nowMs: number): number[] {
  const thisWeek = weekStart(nowMs)
  const first = thisWeek - WEEKS_BACK[table] * WEEK_MS
  const missing: number[] = []
  for (let week = first; week <= thisWeek + WEEKS_AHEAD * WEEK_MS; week += WEEK_MS)
    if (!present.has(week)) missing.push(week)
  return missing
}

/** Returns the names of the partitions by the start of their week, epoch milliseconds. */
async function listWeeks(tx: Tx, table: Table): Promise<Map<number, string>> {
  const rows = await tx.query<{ name: string; bounds: string }>(sql`
    select c.relname as name, pg_get_expr(c.relpartbound, c.oid) as bounds
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = ${table}::regclass`)
  const starts = rows.map(
    ({ name, bounds }) => [Date.parse(/FROM \('([^']+)'\)/.exec(bounds)?.[1] ?? ''), name] as const,
  )
  return new Map(starts.filter(([start]) => Number.isFinite(start)))
}

/** Attaching a table takes a weaker lock than creating a partition in place, and the table can be filled before. */
function creationOf(table: Table, week: number): string[] {
  const name = weekName(table, week)
  const [from, to] = [new Date(week).toISOString(), new Date(week + WEEK_MS).toISOString()]
  return [
    `create table ${name} (like ${table} including defaults including constraints)`,
    `with moved as (delete from ${table}_old where time >= '${from}' and time < '${to}' returning *)
       insert into ${name} select * from moved`,
    `alter table ${table} attach partition ${name} for values from ('${from}') to ('${to}')`,
  ]
}

async function deleteOldRows(db: Db, table: Table, cutoff: Date): Promise<void> {
  const old = raw(`${table}_old`)
  const found = await db.query(sql`select 1 from ${old} where time < ${cutoff} limit 1`)
  if (found.length === 0) return
  for (let bucket = 0; bucket < bucketCount; bucket += BUCKETS_PER_PAGE) {
    const page = Array.from({ length: BUCKETS_PER_PAGE }, (_, i) => bucket + i)
    await db.query(sql`delete from ${old} where bucket = any(${page}) and time < ${cutoff}`)
  }
}
