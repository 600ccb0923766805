import type { Cores } from './cores.ts'
import { Thread } from './cores.ts'
import type { Database } from './database.ts'
import type { Events } from './events.ts'
import type { Flush, Kind } from './flush.ts'
import { flowParts, gathering, type UpdateCost } from './parts.ts'

/** A request on its way: which shards its updates are for, and the rows of people that it locks. */
export type Request = {
  readonly sentUs: number
  readonly updates: number
  readonly shards: readonly number[]
  readonly locks: readonly number[]
  readonly answer: (isCommitted: boolean) => void
}

/** A process builds the statements of a flush in pieces, between which it reads requests. */
const pieces = 8

/** A process of Easel: reads requests on one thread, gathers them, and applies one flush after the other. */
export class Process {
  readonly #thread: Thread
  readonly #events: Events
  readonly #database: Database
  readonly #entry: number
  readonly #kind: Kind
  readonly #cost: UpdateCost
  readonly #queue: Request[] = []
  #isFlushing = false
  #waitingUpdates = 0
  flushes = 0
  updates = 0

  constructor(events: Events, machine: Cores, database: Database, entry: number, kind: Kind, cost: UpdateCost) {
    this.#thread = new Thread(machine)
    this.#events = events
    this.#database = database
    this.#entry = entry
    this.#kind = kind
    this.#cost = cost
  }

  get busyUs(): number {
    return this.#thread.busyUs
  }

  send(request: Request): void {
    this.#thread.work(request.updates * flowParts.parse.us, () => {
      if (this.#waitingUpdates + request.updates > gathering.waitingUpdatesMax) return request.answer(false)
      this.#waitingUpdates += request.updates
      this.#queue.push(request)
      this.#flush()
    })
  }

  #flush(): void {
    if (this.#isFlushing || this.#queue.length === 0) return
    this.#isFlushing = true
    const requests = this.#take()
    const flush = flushOf(this.#kind, requests)
    this.#waitingUpdates -= flush.updates
    let open = 1 + pieces
    let isCommitted = false
    const close = () => {
      if (--open > 0) return
      this.#isFlushing = false
      if (isCommitted) {
        this.flushes++
        this.updates += flush.updates
      }
      this.#flush()
      for (const request of requests) request.answer(isCommitted)
    }
    const buildUs = (flush.updates * (this.#cost.processUs - flowParts.parse.us)) / pieces
    for (let i = 0; i < pieces; i++) this.#thread.work(buildUs, close)
    this.#events.after(flowParts.gap.us, () => {
      this.#database.apply(flush, this.#entry, (outcome) => {
        isCommitted = outcome
        close()
      })
    })
  }

  #take(): Request[] {
    let [updates, count] = [0, 0]
    while (count < this.#queue.length && count < gathering.requestsMax) {
      updates += this.#queue[count]!.updates
      if (count > 0 && updates > gathering.updatesMax) break
      count++
    }
    return this.#queue.splice(0, count)
  }
}

function flushOf(kind: Kind, requests: readonly Request[]): Flush {
  const rowsOfShard = new Map<number, number>()
  const locks = new Set<number>()
  let updates = 0
  for (const request of requests) {
    updates += request.updates
    for (const shard of request.shards) rowsOfShard.set(shard, (rowsOfShard.get(shard) ?? 0) + 1)
    for (const lock of request.locks) locks.add(lock)
  }
  return { kind, updates, rowsOfShard, locks: [...locks].sort((a, b) => a - b) }
}
