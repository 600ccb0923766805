import type { Db } from '../db/db.ts'
import type { Log } from '../log.ts'
import { type Loop, openLoop, type Poll, type Polls } from './loop.ts'
import { findWork } from './poll-store.ts'

/** How late a loop learns of work that no wake-up told it of, such as that of another process or what has become due. */
const everyMs = 500

/**
 * Asks for all idle loops of a process in one statement whether there is work, and wakes those that have some. When each loop asked
 * by itself, a process at rest sent thirty statements a second.
 *
 * A database with shards refuses such a statement, so there all loops are woken each time and ask by themselves.
 */
export class Poller implements Polls {
  readonly #polls = new Set<Poll>()
  readonly #db: Db
  readonly #loop: Loop

  constructor(db: Db, log: Log) {
    this.#db = db
    this.#loop = openLoop({ name: 'work.poll', everyMs, turn: () => this.#ask() }, log)
  }

  add(poll: Poll): () => void {
    this.#polls.add(poll)
    return () => {
      this.#polls.delete(poll)
    }
  }

  /** Returns the name of the loop if its last turn failed. */
  failing(): string[] {
    return this.#loop.failing() ? [this.#loop.name] : []
  }

  close(): Promise<void> {
    return this.#loop.close()
  }

  async #ask(): Promise<boolean> {
    const polls = [...this.#polls]
    if (polls.length === 0) return false
    try {
      const isOne = this.#db.placement === undefined
      const hasWork = isOne
        ? await findWork(
            this.#db,
            polls.map(({ probe }) => probe()),
          )
        : undefined
      for (const [i, { wake }] of polls.entries()) if (hasWork?.[i] ?? true) wake()
    } catch (error) {
      // Each loop finds out by itself what is wrong, and says so.
      for (const { wake } of polls) wake()
      throw error
    }
    return false
  }
}
