import { statementParts } from './parts.ts'

const { statement, hop, rowThroughEntry, rowOfBatch } = {
  statement: statementParts.statement.us,
  hop: statementParts.hop.us,
  rowThroughEntry: statementParts.rowThroughEntry.us,
  rowOfBatch: statementParts.rowOfBatch.us,
}

/**
 * How Citus executes a statement. `keyed`: on the shard of one bucket. `values`: INSERT of rows in the text, a task for each shard.
 * `select`: INSERT ... SELECT through the coordinator, a COPY for each shard. `every`: a task for every shard, and each has all parameters.
 */
export type StatementKind = 'keyed' | 'values' | 'select' | 'every'

/** A statement with the microseconds that one PostgreSQL needs for it, and how many shards and nodes its rows are on. */
export type Statement = {
  readonly kind: StatementKind
  readonly us: number
  readonly rows: number
  readonly shards: number
}

/** Returns how many of the shards have at least one of several buckets, on average. */
export function shardsOf(buckets: number, shards: number): number {
  return shards * (1 - (1 - 1 / shards) ** buckets)
}

/** Returns how many of the nodes have at least one of several shards, when the shards are drawn at random. */
export function nodesOf(shards: number, nodes: number): number {
  return nodes * (1 - (1 - 1 / nodes) ** shards)
}

/** Returns the microseconds of parsing and planning in a statement with rows: the coordinator does them once more. */
function planningUs({ us, rows }: Statement): number {
  return Math.max(0, us - statement - rows * rowOfBatch)
}

/** Returns what Citus adds to a statement, in microseconds, without its transaction. */
export function addedByCitus(given: Statement): number {
  const further = (given.shards - 1) * statement
  switch (given.kind) {
    case 'keyed':
      return hop
    case 'every':
      return hop + further
    case 'values':
      return hop + planningUs(given) + further
    case 'select':
      // COPY begins and ends on each shard.
      return hop + planningUs(given) + given.rows * rowThroughEntry + 2 * given.shards * statement
  }
}

/**
 * Returns what Citus adds to a transaction, in microseconds: BEGIN and COMMIT for one connection; BEGIN, PREPARE TRANSACTION and COMMIT
 * PREPARED for each of several.
 */
export function addedToTransaction(connections: number): number {
  return connections * (connections > 1 ? 3 : 2) * statement
}

/** Returns the milliseconds of a statement that is a transaction of its own. `connectionEach`: COPY opens a connection for each shard. */
export function singleMs(given: Statement, nodes: number, connectionEach = false): number {
  const isCopy = given.kind === 'select'
  const connections = connectionEach ? given.shards : nodesOf(given.shards, nodes)
  const transaction = given.shards > 1 || isCopy ? addedToTransaction(Math.max(1, connections)) : 0
  return (given.us + addedByCitus(given) + transaction) / 1000
}

/** Returns the milliseconds of a transaction whose statements name one bucket each. `us`: of the whole transaction on one PostgreSQL. */
export function keyedTransactionMs(us: number, statements: number, nodes: number): number {
  return (us + statements * hop + addedToTransaction(nodes)) / 1000
}
