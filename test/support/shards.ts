import type { Db, Tx } from '../../src/base/db/db.ts'
import type { Placement } from '../../src/base/db/placement.ts'

/** Four shards, as Citus makes them: a quarter of the hashes each. */
export const fourShards: Placement = {
  version: '1 2 3 4',
  shards: [-2, -1, 0, 1].map((i) => ({ low: i * 2 ** 30, high: (i + 1) * 2 ** 30 - 1 })),
}

/**
 * Returns the same database as one whose tables are distributed: what runs by shard runs once for each shard. Its rows are in one place, so
 * this shows that the parts make up the whole, and nothing about the planner of a distributed database.
 */
export function withPlacement(db: Db, placement: Placement = fourShards): Db {
  const placed = (tx: Tx): Tx => Object.assign(Object.create(tx), { query: tx.query.bind(tx), placement })
  return {
    ...db,
    placement,
    transaction: (work, options) => db.transaction((tx) => work(placed(tx)), options),
  }
}
