import { int4Array } from './arrays.ts'
import type { Tx } from './db.ts'
import { bucketOfPlaced, everyPart, type Placed, type ShardPart, split } from './placement.ts'
import { raw, type Sql, sql } from './sql.ts'

/** Tells the bucket of an item that does not say it itself. */
type BucketOf<Item> = (item: Item) => number
type StatementOf<Item> = (part: ShardPart<Item>) => Sql

/**
 * Runs a statement about items: once on a database without shards, otherwise once for each shard that has some of them, one after the
 * other and in the order of the shards, so that all transactions lock in one order. Returns all rows. An order of the rows holds inside
 * one shard only. The statement names its buckets with `withinPart`.
 */
export function byShard<Row, Item extends Placed>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
): Promise<Row[]>
export function byShard<Row, Item>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
  bucketOf: BucketOf<Item>,
): Promise<Row[]>
export function byShard<Row, Item>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
  bucketOf: BucketOf<Item> = bucketOfPlaced as never,
): Promise<Row[]> {
  if (tx.placement === undefined) return tx.query<Row>(statementOf({ items }))
  return inTurn(tx, split(tx.placement, items, bucketOf), statementOf)
}

/** A row of a statement, with the item that it is about and the number of this item, from 0. */
export type RowOfItem<Row, Item> = { readonly row: Row; readonly item: Item; readonly index: number }

/** Does the same for a statement whose rows say which item they are about: `n` counts the items of a part from 1. */
export function byShardWithItems<Row extends { readonly n: number }, Item extends Placed>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
): Promise<RowOfItem<Row, Item>[]>
export function byShardWithItems<Row extends { readonly n: number }, Item>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
  bucketOf: BucketOf<Item>,
): Promise<RowOfItem<Row, Item>[]>
export async function byShardWithItems<Row extends { readonly n: number }, Item>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
  bucketOf: BucketOf<Item> = bucketOfPlaced as never,
): Promise<RowOfItem<Row, Item>[]> {
  if (tx.placement === undefined) {
    const rows = await tx.query<Row>(statementOf({ items }))
    return rows.map((row) => ({ row, item: items[row.n - 1]!, index: row.n - 1 }))
  }
  const found: RowOfItem<Row, Item>[] = []
  const numbered = items.map((item, index) => ({ item, index }))
  for (const { items: own, buckets } of split(tx.placement, numbered, ({ item }) => bucketOf(item)))
    for (const row of await tx.query<Row>(statementOf({ items: own.map(({ item }) => item), buckets: buckets! })))
      found.push({ row, ...own[row.n - 1]! })
  return found
}

/** Does the same, and returns the rows alone: their `n` is the number of the item among all, from 1. */
export function byShardNumbered<Row extends { readonly n: number }, Item extends Placed>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
): Promise<Row[]>
export function byShardNumbered<Row extends { readonly n: number }, Item>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
  bucketOf: BucketOf<Item>,
): Promise<Row[]>
export async function byShardNumbered<Row extends { readonly n: number }, Item>(
  tx: Tx,
  items: readonly Item[],
  statementOf: StatementOf<Item>,
  bucketOf: BucketOf<Item> = bucketOfPlaced as never,
): Promise<Row[]> {
  if (tx.placement === undefined) return tx.query<Row>(statementOf({ items }))
  const found = await byShardWithItems<Row, Item>(tx, items, statementOf, bucketOf)
  return found.map(({ row, index }) => ({ ...row, n: index + 1 }))
}

/** Runs a statement about all people: once on a database without shards, otherwise once for each shard. Returns all rows. */
export function onEveryShard<Row>(tx: Tx, statementOf: (part: ShardPart) => Sql): Promise<Row[]> {
  if (tx.placement === undefined) return tx.query<Row>(statementOf({ items: [] }))
  return inTurn(tx, everyPart(tx.placement), statementOf)
}

let turns = 0

/**
 * Runs statements that take rows, until `isFull` says that no more are wanted: one statement on a database without shards, otherwise one
 * for each shard. It begins with another shard each time, so that none waits for the others.
 */
export async function untilFull<Row>(
  tx: Tx,
  statementOf: (part: ShardPart, taken: readonly Row[]) => Sql,
  isFull: (taken: readonly Row[]) => boolean,
): Promise<Row[]> {
  if (tx.placement === undefined) return tx.query<Row>(statementOf({ items: [] }, []))
  const parts = everyPart(tx.placement)
  const first = turns++ % parts.length
  const taken: Row[] = []
  for (const part of [...parts.slice(first), ...parts.slice(0, first)]) {
    for (const row of await tx.query<Row>(statementOf(part, taken))) taken.push(row)
    if (isFull(taken)) break
  }
  return taken
}

/**
 * Returns the condition that a table, by its alias, is read in the buckets of a part only, after `and`. Nothing on a database without
 * shards: there it would cost time, and could let the planner read whole buckets.
 */
export function withinPart({ buckets }: ShardPart<unknown>, alias: string): Sql {
  return buckets === undefined ? none : sql`and ${raw(alias)}.bucket = any(${int4Array(buckets)}::int4[])`
}

const none = sql``

async function inTurn<Row, Each>(tx: Tx, parts: readonly Each[], statementOf: (part: Each) => Sql): Promise<Row[]> {
  const rows: Row[][] = []
  for (const part of parts) rows.push(await tx.query<Row>(statementOf(part)))
  return rows.flat()
}
