import { flushUs, gathering, statementParts, type UpdateCost } from './parts.ts'
import type { Placement } from './placement.ts'

export type Kind = 'events' | 'mixed'

/** A transaction: how many rows it has in each shard, and the rows that it locks, in the order of the keys. */
export type Flush = {
  readonly kind: Kind
  readonly updates: number
  readonly rowsOfShard: ReadonlyMap<number, number>
  readonly locks: readonly number[]
}

/**
 * The statements of a flush that touch rows of people, counted with `pg_stat_statements` while the service applied the bodies of the
 * benchmark, without those that came after the measurements of three nodes. Rows are for each update, of all statements of a kind.
 */
export type FlushShape = {
  /** The id of the flush. */
  readonly keyed: number
  /** INSERT ... SELECT: events twice (of known and of new people), purchases, identifiers, profiles. */
  readonly select: { readonly statements: number; readonly rows: number }
  /** Look-ups of identifiers and addresses, and UPDATEs with a join: each shard gets all rows. */
  readonly every: { readonly statements: number; readonly rowsRead: number; readonly rowsWritten: number }
  /** SELECT ... FOR UPDATE: refused over several shards, so it is sent to each of them. */
  readonly lock: { readonly statements: number; readonly rowsRead: number }
}

export const shapes: Readonly<Record<Kind, FlushShape>> = {
  events: {
    keyed: 1,
    select: { statements: 1, rows: 1 },
    every: { statements: 0, rowsRead: 0, rowsWritten: 0 },
    lock: { statements: 0, rowsRead: 0 },
  },
  mixed: {
    keyed: 1,
    select: { statements: 5, rows: 0.7 },
    every: { statements: 4, rowsRead: 0.3, rowsWritten: 0.5 },
    lock: { statements: 1, rowsRead: 0.1 },
  },
}

/** Work of one node. Once it `isDecided`, the transaction cannot fail any more. */
export type Task = { readonly node: number; readonly us: number; readonly isDecided: boolean }

/** Returns the work of a flush, one task after the other, as Citus does it with `multi_shard_modify_mode = sequential`. */
export function taskList(
  flush: Omit<Flush, 'locks'>,
  entry: number,
  cost: UpdateCost,
  placement: Placement | undefined,
): readonly Task[] {
  const ownUs = workOfUpdates(flush, cost)
  if (placement === undefined) return [{ node: entry, us: ownUs, isDecided: false }]
  const shards = [...flush.rowsOfShard].sort(([a], [b]) => a - b)
  const rows = shards.reduce((sum, [, count]) => sum + count, 0)
  const statement = statementParts.statement.us
  const work = addedWork(flush, shards.length)
  const touched = [...new Set(shards.map(([shard]) => placement.nodeOfShard[shard]!))]
  const task = (node: number, us: number, isDecided = false): Task => ({ node, us, isDecided })
  return [
    task(entry, work.entryUs),
    ...shards.map(([shard, count]) => {
      return task(placement.nodeOfShard[shard]!, (ownUs * count) / rows + work.shardUs)
    }),
    // BEGIN and, over several nodes, PREPARE TRANSACTION.
    ...touched.map((node) => task(node, (touched.length > 1 ? 2 : 1) * statement)),
    ...touched.map((node) => task(node, statement, true)),
  ]
}

/** Returns the work of the updates themselves. `cost` is that of an update in a full flush. */
function workOfUpdates({ kind, updates }: Pick<Flush, 'kind' | 'updates'>, cost: UpdateCost): number {
  const { us } = flushUs[kind]
  return us + updates * (cost.databaseUs - us / gathering.updatesMax)
}

type AddedWork = { readonly entryUs: number; readonly shardUs: number }

/** Returns what Citus adds to a flush: on the coordinator, and on the node of each shard. */
function addedWork({ kind, updates }: Pick<Flush, 'kind' | 'updates'>, shards: number): AddedWork {
  const { keyed, select, every, lock } = shapes[kind]
  const { hop, statement, rowThroughEntry, absentRowRead, absentRowWritten } = statementParts
  // COPY begins and ends on each shard.
  const perShard = (2 * select.statements + every.statements + lock.statements) * statement.us
  const entryUs =
    (keyed + select.statements + every.statements) * hop.us -
    every.statements * statement.us +
    lock.statements * shards * (hop.us - statement.us) +
    updates * select.rows * rowThroughEntry.us
  const absent = updates * (1 - 1 / shards)
  const absentUs =
    absent * ((every.rowsRead + lock.rowsRead) * absentRowRead.us + every.rowsWritten * absentRowWritten.us)
  return { entryUs, shardUs: perShard + absentUs }
}
