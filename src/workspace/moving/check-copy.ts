import { randomInt } from 'node:crypto'
import { bucketCount } from '../../base/db/buckets.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { MAINTENANCE_DEADLINE_MS } from '../../base/db/driver.ts'
import { conflict } from '../../base/errors.ts'
import { countRows, type Relation, sumRows } from './relations-store.ts'

/** Tables with more rows are compared for some buckets of people. */
const comparedRowsMax = 100_000
const comparedBuckets = 64

export type CheckedCopy = {
  readonly tables: number
  readonly rows: number
  /** How many rows were compared value by value. */
  readonly compared: number
}

/**
 * Counts every row of a copy, and compares small tables and a random part of large ones by a hash of every value. The part is the same
 * people in all tables. `counts` has the rows that were copied, by table. Throws 409 with the first table that differs.
 */
export async function checkCopy(
  source: Db,
  target: Db,
  tables: readonly Relation[],
  counts: ReadonlyMap<string, number>,
): Promise<CheckedCopy> {
  const sample = new Set<number>()
  while (sample.size < comparedBuckets) sample.add(randomInt(bucketCount))
  let rows = 0
  let compared = 0
  for (const relation of tables) {
    const { table, has_bucket } = relation
    const copied = counts.get(table) ?? 0
    const isLarge = has_bucket && copied > comparedRowsMax
    const count = (db: Db) => inLongTransaction(db, (tx) => countRows(tx, table))
    const [before, after] = await Promise.all([count(source), count(target)])
    if (before !== after || before !== copied)
      throw conflict(`the move is not complete: ${table} has ${before} rows in the source and ${after} in the target`)
    const sum = (db: Db) => inLongTransaction(db, (tx) => sumRows(tx, relation, isLarge ? [...sample] : undefined))
    const [one, other] = await Promise.all([sum(source), sum(target)])
    if (one.rows !== other.rows || one.sum !== other.sum)
      throw conflict(`the move is not complete: rows of ${table} differ between the source and the target`)
    rows += after
    compared += Number(one.rows)
  }
  return { tables: tables.length, rows, compared }
}

/** The hash is of the text of a row, which depends on these settings. */
const settings = ["timezone = 'UTC'", 'datestyle = ISO']

function inLongTransaction<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(work, { settings, deadlineMs: MAINTENANCE_DEADLINE_MS })
}
