import type { Tx } from './db.ts'
import { type Sql, sql } from './sql.ts'

/** Rows of the table `counter`, from which small ids are taken. */
export type CounterName = 'workspace' | 'subscription_group' | 'catalog' | 'selection' | 'cohort' | 'name'

/** Takes `count` consecutive ids and returns the first. */
export async function takeIds(tx: Tx, counter: CounterName, count: number): Promise<number> {
  const [row] = await tx.query<{ first: number }>(takeIdsSql(counter, count))
  return row!.first
}

/** The same as a part of a larger statement: one row with a column `first`. */
export function takeIdsSql(counter: CounterName, count: number): Sql {
  return sql`
    update counter set value = value + ${count}::int where name = ${counter} returning value - ${count}::int + 1 as first`
}
