import type { Db } from '../src/base/db/db.ts'
import {
  type CitusNode,
  countShardNodes,
  type Distribution,
  firstTable,
  howMisplaced,
  misplacedOf,
  missingPlaces,
} from '../src/base/db/distribution-plan.ts'
import { listNodeBytes, type NodeBytes, readDistribution } from '../src/base/db/distribution-store.ts'
import { judgeServerSettings, readServerSettings, type ServerSettings } from '../src/base/db/shard-settings.ts'
import { advice, type Finding, finding } from './finding.ts'
import { formatCount, formatMegabytes } from './progress.ts'

/** The fullest node may have this many times the mean. With four shards a node, the buckets alone make about 1.1. */
export const fullestShareMax = 1.5
/** Below this, nodes are not compared: a few rows more make a large share. */
export const balanceBytesMin = 1024 ** 3
/** The most names in a line. */
const namesMax = 5

/** What was read of a distributed database; a text where a part could not be read. */
export type Shards = {
  readonly distribution: Distribution
  readonly bytes: readonly NodeBytes[] | string
  readonly settings: ServerSettings | string
}

/** Reads where the tables are. Undefined for a database that is not distributed. */
export async function readShards(db: Db): Promise<Shards | undefined> {
  if (db.placement === undefined) return undefined
  const distribution = await readDistribution(db)
  return (
    distribution && {
      distribution,
      bytes: await orReason(listNodeBytes(db)),
      settings: await orReason(readServerSettings(db)),
    }
  )
}

/** A node that is away makes the coordinator fail, which is a finding. */
function orReason<T>(reading: Promise<T>): Promise<T | string> {
  return reading.catch((error: Error) => (error.cause instanceof Error ? error.cause.message : error.message))
}

/** Judges where the tables are, which nodes there are, and how much each has. Pure. */
export function judgeShards({ distribution, bytes, settings }: Shards): Finding[] {
  return [
    judgePlacement(distribution),
    ...judgeNodes(distribution.nodes),
    typeof bytes === 'string' ? finding('Balance', false, `not read: ${bytes}`, awayRemedy) : judgeBalance(bytes),
    ...judgeSettings(settings),
  ]
}

const awayRemedy = 'start the node that is away; until then requests about people of its shards get 503'

function judgePlacement(distribution: Distribution): Finding {
  const missing = missingWords(distribution)
  const misplaced = misplacedOf(distribution)
  const text = `${distribution.version.split(' on ')[0]}: ${describeFirst(distribution)}`
  if (missing.length > 0)
    return finding(
      'Placement',
      false,
      `${text}; ${missing.join('; ')}`,
      'stop every process, then run npm run easel -- distribute',
    )
  if (misplaced.length > 0) {
    const [first] = misplaced
    return finding(
      'Placement',
      false,
      `${text}; ${first!.name} ${howMisplaced(first!)}${misplaced.length > 1 ? `, and ${misplaced.length - 1} more` : ''}`,
      `stop every process, run select undistribute_table('public.${first!.name}') on the coordinator, then npm run easel -- distribute`,
    )
  }
  return { subject: 'Placement', ok: true, text }
}

function missingWords(distribution: Distribution): string[] {
  const { tables, functions, leftRows } = missingPlaces(distribution)
  return [
    ...(tables.length > 0 ? [`not distributed: ${listed(tables)}`] : []),
    ...(functions.length > 0 ? [`not on the nodes: ${listed(functions)}`] : []),
    ...(leftRows.length > 0 ? [`copied, and still on the coordinator: ${listed(leftRows)}`] : []),
  ]
}

function describeFirst({ placed, nodes }: Distribution): string {
  const shards = placed.find(({ name }) => name === firstTable)?.shards ?? 0
  const tables = placed.filter(({ method }) => method === 'h').length
  return `${formatCount(tables)} tables on ${formatCount(shards)} shards, nodes that take shards: ${formatCount(countShardNodes(nodes))}`
}

function judgeNodes(nodes: readonly CitusNode[]): Finding[] {
  return nodes
    .filter(({ is_active }) => !is_active)
    .map(({ host, port }) =>
      finding(
        'Citus node',
        false,
        `${host}:${port} is inactive: it takes no new shards, and does not learn of changed tables`,
        `start it, then run select citus_activate_node('${host}', ${port}) on the coordinator`,
      ),
    )
}

/** Judges how far the fullest node is above the mean. Pure. */
export function judgeBalance(nodes: readonly NodeBytes[]): Finding {
  const sum = nodes.reduce((all, { bytes }) => all + bytes, 0)
  const mean = nodes.length === 0 ? 0 : sum / nodes.length
  const fullest = nodes.reduce<NodeBytes | undefined>(
    (most, each) => (most && most.bytes >= each.bytes ? most : each),
    undefined,
  )
  const text =
    nodes.map(({ host, port, bytes }) => `${host}:${port} ${formatMegabytes(bytes)}`).join(', ') || 'no shards'
  const isEven = fullest === undefined || sum < balanceBytesMin || fullest.bytes <= mean * fullestShareMax
  return finding(
    'Balance',
    isEven,
    isEven ? text : `${text}: ${fullest.host}:${fullest.port} has ${(fullest.bytes / mean).toFixed(1)} times the mean`,
    'run select citus_rebalance_start() on the coordinator: it moves shards while Easel serves (never tried with Easel)',
  )
}

function judgeSettings(settings: ServerSettings | string): Finding[] {
  if (typeof settings === 'string') return [advice('Settings', `not read: ${settings}`, awayRemedy)]
  return judgeServerSettings(settings).map(({ text, remedy }) => advice('Settings', text, remedy))
}

function listed(names: readonly string[]): string {
  const left = names.length - namesMax
  return left > 0 ? `${names.slice(0, namesMax).join(', ')} and ${left} more` : names.join(', ')
}
