import type { Cores } from './cores.ts'
import type { Events } from './events.ts'
import { type Flush, type Task, taskList } from './flush.ts'
import { Locks } from './locks.ts'
import type { UpdateCost } from './parts.ts'
import { moveShard, type Placement } from './placement.ts'

export type Node = { readonly cores: Cores; busyUs: number }

/** The nodes of a database. Without a placement each node is a database of its own, and a flush goes to one of them. */
export class Database {
  readonly nodes: readonly Node[]
  readonly locks = new Locks()
  readonly #events: Events
  readonly #cost: UpdateCost
  readonly #blocked = new Map<number, (() => void)[]>()
  readonly #waitingForNode = new Map<number, (() => void)[]>()
  placement: Placement | undefined
  /** The updates of all committed flushes. */
  committed = 0

  constructor(events: Events, machines: readonly Cores[], cost: UpdateCost, placement: Placement | undefined) {
    this.#events = events
    this.#cost = cost
    this.nodes = machines.map((cores) => ({ cores, busyUs: 0 }))
    this.placement = placement
  }

  /** Applies a flush and calls `done`: with true when it is committed, with false when a node was away before that. */
  apply(flush: Flush, entry: number, done: (isCommitted: boolean) => void): void {
    const blocked = [...flush.rowsOfShard.keys()].find((shard) => this.#blocked.has(shard))
    if (blocked !== undefined) {
      this.#blocked.get(blocked)!.push(() => this.apply(flush, entry, done))
      return
    }
    this.locks.take(flush.locks, () => {
      const tasks = taskList(flush, entry, this.#cost, this.placement)
      this.#work(tasks, 0, (isCommitted) => {
        if (isCommitted) this.committed += flush.updates
        this.locks.release(flush.locks)
        done(isCommitted)
      })
    })
  }

  #work(tasks: readonly Task[], at: number, done: (isCommitted: boolean) => void): void {
    const task = tasks[at]
    if (task === undefined) {
      done(true)
      return
    }
    const node = this.nodes[task.node]!
    node.cores.work(task.us, (isDone) => {
      if (isDone) {
        node.busyUs += task.us
        this.#work(tasks, at + 1, done)
      } else if (task.isDecided) {
        // All nodes have prepared: the outcome is decided, and the rows stay locked until the node is back.
        this.#whenBack(task.node, () => this.#work(tasks, at, done))
      } else done(false)
    })
  }

  #whenBack(node: number, run: () => void): void {
    const waiting = this.#waitingForNode.get(node) ?? []
    waiting.push(run)
    this.#waitingForNode.set(node, waiting)
  }

  /** Takes a node away for some time. What it was doing fails. */
  leave(node: number, forUs: number): void {
    const { cores } = this.nodes[node]!
    cores.leave()
    this.#events.after(forUs, () => {
      cores.comeBack()
      const waiting = this.#waitingForNode.get(node) ?? []
      this.#waitingForNode.delete(node)
      for (const run of waiting) run()
    })
  }

  /** Moves a shard: the copy keeps both nodes busy, and at its end writes to the shard wait until it is on the other node. */
  move(shard: number, toNode: number, copyUs: number, blockedUs: number): void {
    const from = this.placement!.nodeOfShard[shard]!
    let copies = 2
    for (const each of [from, toNode]) {
      this.nodes[each]!.cores.work(copyUs, () => {
        if (--copies === 0) this.#switch(shard, toNode, blockedUs)
      })
    }
  }

  #switch(shard: number, toNode: number, blockedUs: number): void {
    this.#blocked.set(shard, [])
    this.#events.after(blockedUs, () => {
      this.placement = moveShard(this.placement!, shard, toNode)
      const waiting = this.#blocked.get(shard)!
      this.#blocked.delete(shard)
      for (const run of waiting) run()
    })
  }
}
