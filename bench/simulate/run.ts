import { Random } from '../random.ts'
import { Cores } from './cores.ts'
import { Database } from './database.ts'
import { Events } from './events.ts'
import type { Kind } from './flush.ts'
import type { UpdateCost } from './parts.ts'
import { bucketCount, hashInteger, placeBuckets } from './placement.ts'
import { Process, type Request } from './process.ts'
import { drawPause, Zipf } from './zipf.ts'

/** Machines and what runs on them. */
export type Installation = {
  /** The number of cores of each machine. */
  readonly machines: readonly number[]
  /** The machine of each process. */
  readonly processes: readonly number[]
  /** The machine of each node of the database. */
  readonly nodes: readonly number[]
  /** With shards the nodes are one database (Citus). Without, each node is an installation of its own for a group of workspaces. */
  readonly shards?: number
  readonly cost: UpdateCost
}

/** Either clients that wait for each answer, or requests that come at their own rate. */
export type Load = {
  readonly kind: Kind
  readonly updatesPerRequest: number
  readonly workspaces: number
  readonly peoplePerWorkspace: number
  /** The exponents of Zipf for the workspaces and for the people of each: 0 is even. */
  readonly hotWorkspaces: number
  readonly hotPeople: number
} & ({ readonly clients: number } | { readonly requestsPerSecond: number })

export type Fault =
  | { readonly kind: 'away'; readonly atMs: number; readonly node: number; readonly forMs: number }
  | {
      readonly kind: 'move'
      readonly atMs: number
      readonly shard: number
      readonly toNode: number
      /** CPU time of the copy on either node, and how long writes to the shard wait at its end. */
      readonly copyMs: number
      readonly blockedMs: number
    }

export type Options = {
  readonly installation: Installation
  readonly load: Load
  readonly faults?: readonly Fault[]
  readonly warmUpMs: number
  readonly forMs: number
  readonly seed: number
}

export type Result = {
  readonly updatesPerSecond: number
  readonly databaseUsPerUpdate: number
  readonly processUsPerUpdate: number
  readonly updatesPerFlush: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly longestMs: number
  /** The share of its cores that was busy, and the mean wait of work for a core, of each machine. */
  readonly busy: readonly number[]
  readonly waitMs: readonly number[]
  readonly lockWaits: number
  /** Updates that were answered with 201, and updates in the database. */
  readonly accepted: number
  readonly committed: number
  /** Requests that were answered with 503; their clients sent them again. */
  readonly refused: number
  /** The most rows that one node got, divided by the mean. */
  readonly worstNode: number
}

/** The rows of people up to this rank can be locked by several flushes at a time; those of others practically are not. */
const lockedRanks = 512
/** In a mixed request half of the updates write rows of people. Events are appended, and lock no row. */
const lockingShare = { events: 0, mixed: 0.5 } as const
/** A client sends a refused request again after this time. */
const retryUs = 1_000_000

/** Simulates an installation under a load. The same options always give the same result. */
export function simulate(options: Options): Result {
  const { installation, load, faults = [], seed } = options
  const events = new Events()
  const machines = installation.machines.map((cores) => new Cores(events, cores))
  const placement =
    installation.shards === undefined ? undefined : placeBuckets(installation.shards, installation.nodes.length)
  const nodes = installation.nodes.map((machine) => machines[machine]!)
  const database = new Database(events, nodes, installation.cost, placement)
  const processes = installation.processes.map((machine, i) => {
    return new Process(events, machines[machine]!, database, i % nodes.length, load.kind, installation.cost)
  })
  const counts = new Counts(events, options.warmUpMs * 1000, nodes.length)
  const traffic = new Traffic(load, new Random(seed), database, processes, counts, events)
  traffic.start()
  for (const fault of faults) {
    events.after(fault.atMs * 1000, () => {
      if (fault.kind === 'away') database.leave(fault.node, fault.forMs * 1000)
      else database.move(fault.shard, fault.toNode, fault.copyMs * 1000, fault.blockedMs * 1000)
    })
  }
  events.runUntil(options.warmUpMs * 1000)
  const before = readBusy(machines, database, processes)
  events.runUntil((options.warmUpMs + options.forMs) * 1000)
  return resultOf(options, counts, before, readBusy(machines, database, processes), database)
}

type Busy = ReturnType<typeof readBusy>

function readBusy(machines: readonly Cores[], database: Database, processes: readonly Process[]) {
  const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0)
  return {
    machines: machines.map(({ busyUs, waitedUs, jobs }) => ({ busyUs, waitedUs, jobs })),
    databaseUs: sum(database.nodes.map(({ busyUs }) => busyUs)),
    processUs: sum(processes.map(({ busyUs }) => busyUs)),
    flushes: sum(processes.map(({ flushes }) => flushes)),
    updates: sum(processes.map(({ updates }) => updates)),
  }
}

function resultOf(options: Options, counts: Counts, before: Busy, after: Busy, database: Database): Result {
  const updates = Math.max(1, after.updates - before.updates)
  const { answersMs, rowsOfNode } = counts
  answersMs.sort((a, b) => a - b)
  const at = (share: number) => answersMs[Math.floor(answersMs.length * share)] ?? 0
  const rows = rowsOfNode.reduce((sum, each) => sum + each, 0)
  return {
    updatesPerSecond: (after.updates - before.updates) / (options.forMs / 1000),
    databaseUsPerUpdate: (after.databaseUs - before.databaseUs) / updates,
    processUsPerUpdate: (after.processUs - before.processUs) / updates,
    updatesPerFlush: updates / Math.max(1, after.flushes - before.flushes),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    longestMs: answersMs.at(-1) ?? 0,
    busy: after.machines.map(({ busyUs }, i) => {
      return (busyUs - before.machines[i]!.busyUs) / (options.forMs * 1000) / options.installation.machines[i]!
    }),
    waitMs: after.machines.map(({ waitedUs, jobs }, i) => {
      return (waitedUs - before.machines[i]!.waitedUs) / 1000 / Math.max(1, jobs - before.machines[i]!.jobs)
    }),
    lockWaits: database.locks.waits,
    accepted: counts.accepted,
    committed: database.committed,
    refused: counts.refused,
    worstNode: (Math.max(...rowsOfNode) * rowsOfNode.length) / Math.max(1, rows),
  }
}

class Counts {
  readonly #events: Events
  readonly #fromUs: number
  readonly answersMs: number[] = []
  readonly rowsOfNode: number[]
  accepted = 0
  refused = 0

  constructor(events: Events, fromUs: number, nodes: number) {
    this.#events = events
    this.#fromUs = fromUs
    this.rowsOfNode = Array.from({ length: nodes }, () => 0)
  }

  answered(sentUs: number, updates: number): void {
    this.accepted += updates
    if (sentUs >= this.#fromUs) this.answersMs.push((this.#events.nowUs - sentUs) / 1000)
  }
}

/** The clients, and which people their requests name. */
class Traffic {
  readonly #load: Load
  readonly #random: Random
  readonly #database: Database
  readonly #processes: readonly Process[]
  readonly #counts: Counts
  readonly #events: Events
  readonly #workspaces: Zipf
  readonly #people: Zipf
  #sent = 0

  constructor(
    load: Load,
    random: Random,
    database: Database,
    processes: readonly Process[],
    counts: Counts,
    events: Events,
  ) {
    this.#load = load
    this.#random = random
    this.#database = database
    this.#processes = processes
    this.#counts = counts
    this.#events = events
    this.#workspaces = new Zipf(load.workspaces, load.hotWorkspaces)
    this.#people = new Zipf(load.peoplePerWorkspace, load.hotPeople)
  }

  start(): void {
    if ('clients' in this.#load) for (let i = 0; i < this.#load.clients; i++) this.#sendOne(() => this.#again())
    else this.#sendAtRate(this.#load.requestsPerSecond)
  }

  #again(): void {
    this.#sendOne(() => this.#again())
  }

  #sendAtRate(perSecond: number): void {
    this.#events.after(drawPause(this.#random, perSecond), () => {
      this.#sendOne(() => {})
      this.#sendAtRate(perSecond)
    })
  }

  /** Sends a request until it is accepted, then calls `done`. */
  #sendOne(done: () => void): void {
    const { updatesPerRequest, kind, workspaces, peoplePerWorkspace } = this.#load
    const workspace = this.#workspaces.draw(this.#random)
    const { placement, nodes } = this.#database
    const shards: number[] = []
    const locks: number[] = []
    for (let i = 0; i < updatesPerRequest; i++) {
      const rank = this.#people.draw(this.#random)
      const key = workspace * peoplePerWorkspace + rank
      const bucket = hashInteger(key) & (bucketCount - 1)
      const shard = placement ? placement.shardOfBucket[bucket]! : workspace % nodes.length
      shards.push(shard)
      this.#counts.rowsOfNode[placement ? placement.nodeOfShard[shard]! : shard]!++
      if (rank < lockedRanks && i < updatesPerRequest * lockingShare[kind])
        locks.push(bucket * workspaces * lockedRanks + workspace * lockedRanks + rank)
    }
    const nth = this.#sent++
    // In an installation for a group of workspaces, its own processes have the numbers that its node has.
    const perNode = Math.max(1, Math.floor(this.#processes.length / nodes.length))
    const process = placement
      ? this.#processes[nth % this.#processes.length]!
      : this.#processes[(workspace % nodes.length) + nodes.length * (nth % perNode)]!
    this.#attempt(process, this.#events.nowUs, { updates: updatesPerRequest, shards, locks }, done)
  }

  #attempt(process: Process, sentUs: number, named: Omit<Request, 'sentUs' | 'answer'>, done: () => void): void {
    const answer = (isCommitted: boolean) => {
      if (isCommitted) {
        this.#counts.answered(sentUs, named.updates)
        return done()
      }
      this.#counts.refused++
      this.#events.after(retryUs, () => this.#attempt(process, sentUs, named, done))
    }
    process.send({ ...named, sentUs, answer })
  }
}
