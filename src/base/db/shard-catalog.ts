import type { Clock } from '../clock.ts'
import type { Placement } from './placement.ts'
import { type Sql, sql } from './sql.ts'

/** How long a copy of the catalog is used. Until it is read again, a shard that was split is asked as one. */
const ageMsMax = 5_000

/** What the catalog of Citus says of the table of profiles. All tables of people have the same shards. */
const shardRows = sql`
  select shardid::text as shard_id, shardminvalue::int4 as low, shardmaxvalue::int4 as high
  from pg_dist_shard where logicalrelid = to_regclass('profile')
  order by shardminvalue::int4`

export type ShardRow = { readonly shard_id: string; readonly low: number; readonly high: number }

/** Returns the placement that the rows of a catalog describe. Undefined when the tables are not distributed. */
export function placementOf(rows: readonly ShardRow[]): Placement | undefined {
  if (rows.length === 0) return undefined
  return {
    version: rows.map(({ shard_id }) => shard_id).join(' '),
    shards: rows.map(({ low, high }) => ({ low, high })),
  }
}

/** The copy of the catalog that a process has. */
export class ShardCatalog {
  readonly #clock: Pick<Clock, 'elapsed'>
  #placement: Placement | undefined
  #readAtMs = Number.NEGATIVE_INFINITY

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.#clock = clock
  }

  /** The last copy. */
  get placement(): Placement | undefined {
    return this.#placement
  }

  /** Reads the catalog when the copy is old. A copy with the same version is kept. */
  async refresh(query: (statement: Sql) => Promise<ShardRow[]>): Promise<Placement | undefined> {
    const nowMs = this.#clock.elapsed()
    if (nowMs - this.#readAtMs < ageMsMax) return this.#placement
    const read = placementOf(await query(shardRows))
    if (read?.version !== this.#placement?.version) this.#placement = read
    this.#readAtMs = nowMs
    return this.#placement
  }

  /** Makes the next transaction read the catalog. Call it when a statement was refused, because it may have met a shard that was split. */
  forget(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY
  }
}
