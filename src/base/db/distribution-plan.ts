import { localTables } from './local-tables.ts'

/** What Citus knows of a database, and what is in its schema. `distribution-store.ts` reads it. */
export type Distribution = {
  /** As the server says it: `Citus 13.2.2 on x86_64-pc-linux-gnu, ...`. */
  readonly version: string
  /** Whether the connection is to the coordinator. */
  readonly is_coordinator: boolean
  readonly nodes: readonly CitusNode[]
  /** The tables of the schema without their partitions and shards, by name. */
  readonly tables: readonly SchemaTable[]
  /** The tables that Citus knows, without their partitions. */
  readonly placed: readonly PlacedTable[]
  /** The functions of the schema. */
  readonly functions: readonly SchemaFunction[]
}

export type CitusNode = {
  readonly group_id: number
  readonly host: string
  readonly port: number
  readonly role: string
  readonly is_active: boolean
  /** Whether the node takes shards when it is active. */
  readonly takes_shards: boolean
}

/** `local_bytes` are those of its rows on the coordinator, with partitions and without indexes. */
export type SchemaTable = { readonly name: string; readonly has_bucket: boolean; readonly local_bytes: number }

export type PlacedTable = {
  readonly name: string
  /** `h`: by the hash of a column. `n`: by none. */
  readonly method: string
  /** The column by which it is distributed. */
  readonly column: string | null
  /** Tables with the same number have their shards on the same nodes; 0 for a table that is whole on the coordinator. */
  readonly colocation_id: number
  readonly shards: number
}

/** `signature` is written as SQL reads it: `name(types)`. */
export type SchemaFunction = { readonly signature: string; readonly is_placed: boolean }

/** A command of the plan. Each is sent alone and is a transaction of its own. */
export type DistributionStep = {
  readonly kind: 'distribute' | 'function' | 'clear'
  /** The table, or the signature of the function. */
  readonly subject: string
  /** The bytes of the rows that it copies or removes. */
  readonly bytes: number
  readonly command: string
}

export type DistributionPlan = {
  /** Why nothing can be done, each with what to do. Then there are no steps. */
  readonly refusals: readonly string[]
  /** What somebody should know who carries it out. */
  readonly notes: readonly string[]
  readonly nodes: number
  readonly shards: number
  readonly steps: readonly DistributionStep[]
}

/** The table that is distributed first. All others have their shards beside its shards. */
export const firstTable = 'profile'
const column = 'bucket'

/**
 * Shards for each node: a statement about many people is sent to each shard. A mixed update took 55 us of the database with 2 shards and
 * 144 us with 32. Fewer than two leave nothing to move to a new node.
 */
export const shardsPerNodeDefault = 4
export const shardsPerNodeMin = 2
export const shardsPerNodeMax = 8
/** The most shards of all nodes that may be asked for: on average each then has four of the 4,096 buckets. */
export const shardsMax = 1_024
/** The oldest version of which anything was tried. */
export const citusMajorMin = 13
/** The versions of which something was tried. */
const citusMajorsTried: readonly number[] = [13]

/**
 * Plans the commands that are still missing until every table with a bucket is distributed, `profile` first, and the others beside it.
 * Running them in this order can be interrupted: a new plan has the rest. `shards` is how many are asked for. Pure.
 */
export function planDistribution(distribution: Distribution, shards?: number): DistributionPlan {
  const { version, is_coordinator, nodes, placed } = distribution
  const nodeCount = countShardNodes(nodes)
  const first = placed.find(({ name }) => name === firstTable)
  const shardCount = first?.shards ?? shards ?? nodeCount * shardsPerNodeDefault
  const refusals = [
    ...judgeVersion(version).refusals,
    ...(is_coordinator ? [] : [workerRefusal]),
    ...(nodeCount === 0 ? [noNodeRefusal] : []),
    ...(first !== undefined && shards !== undefined && shards !== first.shards ? [countRefusal(first.shards)] : []),
    ...misplacedOf(distribution).map(misplacedRefusal),
  ]
  const notes = [...judgeVersion(version).notes, ...(first === undefined ? countNotes(shardCount, nodeCount) : [])]
  const steps = refusals.length > 0 ? [] : stepsOf(distribution, shardCount)
  return { refusals, notes, nodes: nodeCount, shards: shardCount, steps }
}

/** Returns the tables with a bucket that are on the coordinator only, the first table first. */
function undistributedTables({ tables, placed }: Pick<Distribution, 'tables' | 'placed'>): SchemaTable[] {
  const known = new Set(placed.filter(isDistributed).map(({ name }) => name))
  return tables
    .filter(({ name, has_bucket }) => has_bucket && !localTables.includes(name) && !known.has(name))
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
}

/** Returns the tables that are distributed in another way than Easel needs: by another column, apart from the others, or at all. Pure. */
export function misplacedOf({ tables, placed }: Pick<Distribution, 'tables' | 'placed'>): PlacedTable[] {
  const own = new Set(tables.map(({ name }) => name))
  const group = placed.find(({ name, method }) => name === firstTable && method === 'h')?.colocation_id
  return placed.filter(isDistributed).filter((table) => {
    if (!own.has(table.name)) return false
    if (localTables.includes(table.name)) return true
    const hasBucket = tables.some(({ name, has_bucket }) => name === table.name && has_bucket)
    // A table of somebody else, with another key.
    if (!hasBucket) return false
    return table.method !== 'h' || table.column !== column || table.colocation_id !== group
  })
}

/** Returns what is missing until every table and function has its place, also where something refuses to go on. Pure. */
export function missingPlaces(distribution: Distribution): {
  tables: string[]
  functions: string[]
  leftRows: string[]
} {
  const steps = stepsOf(distribution, 0)
  const of = (wanted: DistributionStep['kind']) =>
    steps.filter(({ kind }) => kind === wanted).map(({ subject }) => subject)
  const tables = of('distribute')
  return { tables, functions: of('function'), leftRows: of('clear').filter((name) => !tables.includes(name)) }
}

/** Returns how many nodes have shards, or take them. Pure. */
export function countShardNodes(nodes: readonly CitusNode[]): number {
  return nodes.filter(({ role, is_active, takes_shards }) => role === 'primary' && is_active && takes_shards).length
}

/** Returns the major version. Undefined for a text that does not name one. Pure. */
export function citusMajorOf(version: string): number | undefined {
  const [, major] = /\bcitus (\d+)\./i.exec(version) ?? []
  return major === undefined ? undefined : Number(major)
}

/** A table that Citus keeps whole on the coordinator, as it does with some tables by itself, is not distributed. */
function isDistributed({ method, colocation_id }: PlacedTable): boolean {
  return method !== 'n' || colocation_id !== 0
}

function rank({ name }: SchemaTable): number {
  return name === firstTable ? 0 : 1
}

function judgeVersion(version: string): { refusals: string[]; notes: string[] } {
  const major = citusMajorOf(version)
  if (major !== undefined && major < citusMajorMin)
    return {
      refusals: [`this is ${version}: install Citus ${citusMajorMin} or newer, then alter extension citus update`],
      notes: [],
    }
  const isTried = major !== undefined && citusMajorsTried.includes(major)
  const notes = isTried
    ? []
    : [`Nothing of Easel was tried with this version (${version}); 13.2.2 is the one that was.`]
  return { refusals: [], notes }
}

const workerRefusal =
  'this server is a node with shards: set DATABASE_URL to the coordinator, which every process of Easel must use'

const noNodeRefusal =
  "no active node takes shards: run select citus_add_node('host', 5432) on the coordinator for each node, " +
  'or select citus_activate_node(...) for one that is inactive'

function countRefusal(shards: number): string {
  return `the tables have ${shards} shards already: leave --shards out; the functions of Citus split shards`
}

function misplacedRefusal(table: PlacedTable): string {
  const { name } = table
  const undo = `run select undistribute_table('public.${name}') on the coordinator, then this command again`
  return `the table ${name} ${howMisplaced(table)}: ${undo}`
}

/** Says in which way a table is not where it should be. Pure. */
export function howMisplaced({ name, method, column: by, colocation_id }: PlacedTable): string {
  if (localTables.includes(name)) return 'is distributed or copied to every node, and must be on the coordinator'
  if (method !== 'h') return `is copied to every node, or on one of them, instead of distributed by ${column}`
  if (by !== column) return `is distributed by ${by ?? 'no column'} instead of ${column}`
  return `has its shards apart from those of ${firstTable} (colocation ${colocation_id})`
}

function countNotes(shards: number, nodes: number): string[] {
  if (nodes === 0) return []
  const [least, most] = [nodes * shardsPerNodeMin, nodes * shardsPerNodeMax]
  if (shards < least)
    return [`${shards} shards are few for ${nodes} nodes: with ${least} or more, some can move to a new node.`]
  if (shards > most)
    return [`${shards} shards are many for ${nodes} nodes: each makes updates slower, so take ${most} at most.`]
  return []
}

function stepsOf(distribution: Distribution, shards: number): DistributionStep[] {
  const missing = undistributedTables(distribution)
  const distributing = missing.map(({ name, local_bytes: bytes }): DistributionStep => {
    const where =
      name === firstTable
        ? `colocate_with => 'none', shard_count => ${shards}`
        : `colocate_with => ${tableText(firstTable)}`
    const command = `select create_distributed_table(${tableText(name)}, '${column}', ${where})`
    return { kind: 'distribute', subject: name, bytes, command }
  })
  const functions = distribution.functions
    .filter(({ is_placed }) => !is_placed)
    .map(({ signature }): DistributionStep => {
      const command = `select create_distributed_function(${quoted(signature)})`
      return { kind: 'function', subject: signature, bytes: 0, command }
    })
  return [...distributing, ...functions, ...clearingSteps(distribution)]
}

/**
 * Citus copies rows to the shards and leaves the old ones on the disk of the coordinator, where nobody sees them any more: also those of
 * people who are deleted later. So they are removed as soon as a table is distributed.
 */
function clearingSteps({ tables, placed }: Distribution): DistributionStep[] {
  const foreign = new Set(misplacedOf({ tables, placed }).map(({ name }) => name))
  return tables
    .filter(
      ({ name, has_bucket, local_bytes }) =>
        has_bucket && !localTables.includes(name) && local_bytes > 0 && !foreign.has(name),
    )
    .map(({ name, local_bytes: bytes }): DistributionStep => {
      const command = `select truncate_local_data_after_distributing_table(${tableText(name)})`
      return { kind: 'clear', subject: name, bytes, command }
    })
}

function tableText(name: string): string {
  return quoted(`public.${/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`}`)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
