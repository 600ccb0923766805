import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../log.ts'
import { type Loop, openLoop, type Poll, type Polls } from './loop.ts'
import { type Findings, findWork, readSnapshot } from './poll-store.ts'

/** How late a loop learns of work that no wake-up told it of, such as that of another process or what has become due. */
const everyMs = 500
/** How far ahead is looked for what becomes due, before the poller only asks whether anything was written. */
export const aheadMs = 30_000

/** There is no work as long as nobody writes and the clocks have not passed these instants. */
type Rest = { readonly snapshot: string; uses: number | undefined; readonly nowMs: number; readonly elapsedMs: number }

/**
 * Asks for all idle loops of a process in one statement whether there is work, and wakes those that have some. When each loop asked
 * by itself, a process at rest sent thirty statements a second.
 *
 * When the statement has found nothing, it is asked once more for the next `aheadMs`. If there is nothing either, the poller rests: it only
 * asks which transactions are visible, which touches no table, and on a database that only this process uses it asks nothing at all.
 *
 * A database with shards refuses such a statement, so there all loops are woken each time and ask by themselves.
 */
export class Poller implements Polls {
  readonly #polls = new Set<Poll>()
  readonly #db: Db
  readonly #clock: Clock
  readonly #loop: Loop
  #rest: Rest | undefined
  /** The snapshot of the last time that nothing was found. */
  #foundNothingIn: string | undefined
  #lookAheadAtMs = 0

  constructor(db: Db, clock: Clock, log: Log) {
    this.#db = db
    this.#clock = clock
    this.#loop = openLoop({ name: 'work.poll', everyMs, turn: () => this.#ask() }, log)
  }

  add(poll: Poll): () => void {
    this.#polls.add(poll)
    this.#rest = undefined
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
    if (this.#db.placement !== undefined) {
      for (const { wake } of polls) wake()
      return false
    }
    try {
      if (!(await this.#isResting())) await this.#findWork(polls)
    } catch (error) {
      this.#rest = undefined
      // Each loop finds out by itself what is wrong, and says so.
      for (const { wake } of polls) wake()
      throw error
    }
    return false
  }

  async #isResting(): Promise<boolean> {
    const rest = this.#rest
    if (rest === undefined) return false
    if (this.#clock.now() > rest.nowMs || this.#clock.elapsed() > rest.elapsedMs) return false
    const uses = this.#db.uses?.()
    if (uses !== undefined && uses === rest.uses) return true
    if ((await readSnapshot(this.#db)) !== rest.snapshot) return false
    rest.uses = afterOwn(uses)
    return rest === this.#rest
  }

  async #findWork(polls: readonly Poll[]): Promise<void> {
    const { snapshot, found } = await this.#probe(polls, 0)
    for (const [i, { wake }] of polls.entries()) if (found[i]) wake()
    const isSettled = snapshot === this.#foundNothingIn
    this.#foundNothingIn = found.includes(true) ? undefined : snapshot
    this.#rest = undefined
    // A process that works asks every time: something is due or written again and again.
    if (isSettled && this.#foundNothingIn && this.#clock.elapsed() >= this.#lookAheadAtMs) await this.#lookAhead(polls)
  }

  async #lookAhead(polls: readonly Poll[]): Promise<void> {
    const [nowMs, elapsedMs] = [this.#clock.now() + aheadMs, this.#clock.elapsed() + aheadMs]
    const usesBefore = this.#db.uses?.()
    const { snapshot, found } = await this.#probe(polls, aheadMs)
    const isSame = polls.length === this.#polls.size && polls.every((poll) => this.#polls.has(poll))
    if (found.includes(true)) this.#lookAheadAtMs = this.#clock.elapsed() + aheadMs / 2
    else if (isSame) this.#rest = { snapshot, uses: afterOwn(usesBefore), nowMs, elapsedMs }
  }

  #probe(polls: readonly Poll[], ms: number): Promise<Findings> {
    return findWork(
      this.#db,
      polls.map(({ probe }) => probe(ms)),
    )
  }
}

/** Returns the number of uses after one statement of the poller, if there was no other. */
function afterOwn(uses: number | undefined): number | undefined {
  return uses === undefined ? undefined : uses + 1
}
