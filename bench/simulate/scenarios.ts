import type { Fault, Installation, Load, Options } from './run.ts'

/** CPU of a mixed update with a million people: `bench/history.jsonl`, "track mixed", PostgreSQL, 21 November 2026. */
const mixedCost = { processUs: 8.84, databaseUs: 13.85 } as const

/** `bench/history.jsonl`, "bytes of WAL, a mixed update", 28 November 2026. */
export const walBytesOfMixed = 1_070

export type Scenario = { readonly name: string; readonly options: Options }

const coresOfNode = 4
const coresOfProcess = 1
const [warmUpMs, forMs, seed] = [1000, 14_000, 1]

/** Processes on machines of their own, and database nodes on others. */
function install(nodes: number, processes: number, shards?: number): Installation {
  return {
    machines: [
      ...Array.from({ length: nodes }, () => coresOfNode),
      ...Array.from({ length: processes }, () => coresOfProcess),
    ],
    nodes: Array.from({ length: nodes }, (_, i) => i),
    processes: Array.from({ length: processes }, (_, i) => nodes + i),
    ...(shards !== undefined && { shards }),
    cost: mixedCost,
  }
}

const even: Load = {
  kind: 'mixed',
  updatesPerRequest: 50,
  workspaces: 30,
  peoplePerWorkspace: 30_000,
  hotWorkspaces: 0,
  hotPeople: 0,
  requestsPerSecond: 1200,
}
/** One workspace of 30 has a quarter of all updates. */
const hotWorkspace: Load = { ...even, hotWorkspaces: 1 }
/** 7 % of all updates name the same person. */
const hotPerson: Load = { ...even, workspaces: 1, peoplePerWorkspace: 900_000, hotPeople: 1 }

function scenario(name: string, installation: Installation, load: Load, ...faults: Fault[]): Scenario {
  return { name, options: { installation, load, faults, warmUpMs, forMs, seed } }
}

const slow = { requestsPerSecond: 300 } as const
const away = { kind: 'away', atMs: 2000, node: 1, forMs: 10_000 } as const
const move = { kind: 'move', atMs: 2000, shard: 3, toNode: 1, copyMs: 2000, blockedMs: 1000 } as const

/** One machine with the database and as many processes as keep its cores busy. */
export type Machine = { readonly cores: number; readonly processes: number; readonly options: Options }

/** What the page about performance shows: clients that wait for each answer, 64 for each process. */
export const machines: readonly Machine[] = [2, 4, 16, 64].map((cores) => {
  const processes = cores / 2
  const load: Load = {
    ...{ kind: 'mixed', updatesPerRequest: 50, workspaces: 1, peoplePerWorkspace: 1_000_000 },
    ...{ hotWorkspaces: 0, hotPeople: 0, clients: 64 * processes },
  }
  const installation = {
    machines: [cores],
    nodes: [0],
    processes: Array.from({ length: processes }, () => 0),
    cost: mixedCost,
  }
  return { cores, processes, options: { installation, load, warmUpMs: 300, forMs: 600, seed: 7 } }
})

/** What the page about capacity shows: one primary, installations for groups of workspaces, and Citus, with hot keys and faults. */
export const scenarios: readonly Scenario[] = [
  scenario('one primary, 2 processes, 60,000 updates/s', install(1, 2), even),
  scenario('the same, 4 processes', install(1, 4), even),
  scenario('4 processes, a hot person', install(1, 4), hotPerson),
  scenario('3 installations, 6 processes, 60,000 updates/s', install(3, 6), even),
  scenario('3 installations, a hot workspace', install(3, 6), hotWorkspace),
  scenario('3 installations, a database away for 10 s', install(3, 6), even, away),
  scenario('Citus, 3 nodes, 6 processes, 15,000 updates/s', install(3, 6, 8), { ...even, ...slow }),
  scenario('Citus, a hot workspace', install(3, 6, 8), { ...hotWorkspace, ...slow }),
  scenario('Citus, a shard moves', install(3, 6, 8), { ...even, ...slow }, move),
  scenario('Citus, a node away for 10 s', install(3, 6, 8), { ...even, ...slow }, away),
]
