import type { Log } from '../log.ts'
import type { Tx } from './db.ts'
import type { Session } from './session.ts'
import { sql } from './sql.ts'

/** A setting that each session of a distributed database gets. */
type SessionSetting = {
  readonly name: string
  readonly value: string
  /** Whether Easel cannot work without it. The others cost time only. */
  readonly isNeeded: boolean
  /** What happens without it. */
  readonly without: string
}

const sessionSettings: readonly SessionSetting[] = [
  {
    name: 'citus.propagate_set_commands',
    value: 'local',
    isNeeded: true,
    without: 'limits of time do not reach the shards, so transactions may wait for each other without an end',
  },
  {
    name: 'citus.multi_shard_modify_mode',
    value: 'sequential',
    isNeeded: true,
    without: 'transactions lock the shards in different orders, and an event costs several times as much',
  },
  {
    name: 'citus.max_cached_conns_per_worker',
    value: '16',
    isNeeded: false,
    without: 'each transaction opens connections to the nodes: an event took 78 us of the database instead of 12',
  },
]

/** How long a row may stay locked that was being committed when a node was lost. */
const recoveryMsMax = 15_000

/** Settings that only the operator of the servers can change. */
export type ServerSettings = {
  /** How often the coordinator completes commits of lost nodes. Negative: never. Undefined when it is not known. */
  readonly recoveryMs: number | undefined
  /** The settings of the nodes that answered. */
  readonly nodes: readonly NodeSettings[]
}

export type NodeSettings = {
  readonly host: string
  readonly port: number
  readonly prepared_max: number
  readonly connections_max: number
}

/**
 * Gives a session its settings. Throws when the server refuses one that is needed. Returns a sentence for each other one that it refuses.
 */
export async function setShardSettings(session: Session): Promise<string[]> {
  const remarks: string[] = []
  for (const { name, value, isNeeded, without } of sessionSettings) {
    try {
      await session.send(`set ${name} = '${value}'`)
    } catch (error) {
      if (session.lost) throw error
      const { message } = error as Error
      if (isNeeded)
        throw new Error(
          `DATABASE_URL: the server refuses ${name} = '${value}' (${message}), and without it ${without}; use Citus 13 or newer`,
          { cause: error },
        )
      // It costs time only.
      remarks.push(`The server refuses ${name} = '${value}' (${message}). Without it ${without}.`)
    }
  }
  return remarks
}

/** What a setting of the servers costs, and what to do. Both are sentences without the full stop. */
export type SettingRemark = { readonly text: string; readonly remedy: string }

/** Returns a remark on each setting that costs time or may stop updates. Pure. */
export function judgeServerSettings({ recoveryMs, nodes }: ServerSettings): SettingRemark[] {
  return [...judgeRecovery(recoveryMs), ...nodes.flatMap(judgeNodeSettings)]
}

function judgeRecovery(recoveryMs: number | undefined): SettingRemark[] {
  if (recoveryMs === undefined || (recoveryMs >= 0 && recoveryMs <= recoveryMsMax)) return []
  const duration =
    recoveryMs < 0 ? 'until somebody calls recover_prepared_transactions()' : `for up to ${recoveryMs / 1000} seconds`
  return [
    {
      text: `when a node is lost during a commit, rows may stay locked ${duration} (citus.recover_2pc_interval)`,
      remedy: "set citus.recover_2pc_interval = '10s' in postgresql.conf of the coordinator, and reload it",
    },
  ]
}

function judgeNodeSettings({ host, port, prepared_max, connections_max }: NodeSettings): SettingRemark[] {
  if (prepared_max >= connections_max) return []
  return [
    {
      text:
        `the node ${host}:${port} prepares at most ${prepared_max} transactions and accepts ${connections_max} connections, ` +
        'so commits may fail',
      remedy: `set max_prepared_transactions = ${connections_max} in postgresql.conf of that node, and restart it`,
    },
  ]
}

/** Reads what can be read of these settings. A node that does not answer is left out. */
export async function readServerSettings(tx: Pick<Tx, 'query'>): Promise<ServerSettings> {
  const [coordinator] = await tx.query<{ ms: number | null }>(sql`
    select (extract(epoch from current_setting('citus.recover_2pc_interval', true)::interval) * 1000)::float8 as ms`)
  const nodes = await tx.query<NodeSettings>(sql`
    select nodename as host, nodeport::int4 as port, split_part(result, ' ', 1)::int4 as prepared_max,
      split_part(result, ' ', 2)::int4 as connections_max
    from run_command_on_workers(
      $$select current_setting('max_prepared_transactions') || ' ' || current_setting('max_connections')$$)
    where success order by 1, 2`)
  return { recoveryMs: coordinator?.ms ?? undefined, nodes }
}

/** Logs a sentence for each setting of the servers that should be another one. Never throws. */
export async function reportServerSettings(session: Session, log: Log): Promise<void> {
  try {
    for (const { text, remedy } of judgeServerSettings(await readServerSettings(session)))
      log.warn(`${text}: ${remedy}`)
  } catch (error) {
    // They cost time or are for bad days, which is no reason not to start.
    log.warn({ reason: (error as Error).message }, 'the settings of the nodes were not read; the start goes on')
  }
}
