import type { Clock } from '../clock.ts'
import type { Db } from '../db/db.ts'
import type { Log } from '../log.ts'
import { type Loop, openLoop, type Poll, type Polls } from './loop.ts'
import { type Findings, findWork, readSnapshot } from './poll-store.ts'

/** How late a loop learns of work that no wake-up told it of, such as that of another process or what has become due. */
const everyMs = 500
/** How far ahead is looked for what becomes due, before the poller rests. */
export const aheadMs = 30_000
/** How long a process that is alone sleeps at most while it rests. */
const sleepMs = 5_000
/** The poller counts its own statement twice, when it begins and when it has ended. */
const usesOfStatement = 2

/** There is no work as long as nobody writes and the clocks have not passed these instants. */
type Rest = { readonly snapshot: string; uses: number | undefined; readonly nowMs: number; readonly elapsedMs: number }

export type PollerServices = {
  readonly db: Db
  readonly clock: Clock
  readonly log: Log
  /** Whether no other process writes to the database. Until there is another one, which calls `wake`, the answer may be used. */
  readonly isAlone?: () => Promise<boolean>
}

/**
 * Asks for all idle loops of a process in one statement whether there is work, and wakes those that have some. When each loop asked
 * by itself, a process at rest sent thirty statements a second.
 *
 * When the statement has found nothing, it is asked once more for the next `aheadMs`. If there is nothing either, the poller rests: it only
 * asks which transactions are visible, which touches no table. In a process that is alone it even sleeps until this process uses the
 * database: waking takes more CPU time than the statement.
 *
 * A database with shards refuses such a statement, so there all loops are woken each time and ask by themselves.
 */
export class Poller implements Polls {
  readonly #polls = new Set<Poll>()
  readonly #services: PollerServices
  readonly #loop: Loop
  readonly #stopListening: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #isAsleep = false
  #rest: Rest | undefined
  /** The snapshot of the last time that nothing was found. */
  #foundNothingIn: string | undefined
  #lookAheadAtMs = 0

  constructor(services: PollerServices) {
    this.#services = services
    this.#loop = openLoop({ name: 'work.poll', turn: () => this.#turn() }, services.log)
    this.#stopListening = services.db.usage?.onUse(() => this.#wakeSoon())
    this.#plan(0)
  }

  get size(): number {
    return this.#polls.size
  }

  add(poll: Poll): () => void {
    this.#polls.add(poll)
    this.#rest = undefined
    this.#wakeSoon()
    return () => {
      this.#polls.delete(poll)
    }
  }

  /** Asks at once: there may be another process now. */
  wake(): void {
    this.#loop.wake()
  }

  /** Returns the name of the loop if its last turn failed. */
  failing(): string[] {
    return this.#loop.failing() ? [this.#loop.name] : []
  }

  close(): Promise<void> {
    this.#stopListening?.()
    clearTimeout(this.#timer)
    return this.#loop.close()
  }

  #plan(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#loop.wake(), ms).unref()
  }

  #wakeSoon(): void {
    if (!this.#isAsleep) return
    this.#isAsleep = false
    this.#plan(everyMs)
  }

  async #turn(): Promise<boolean> {
    this.#isAsleep = false
    try {
      await this.#ask()
      this.#isAsleep = await this.#maySleep()
      return false
    } finally {
      this.#plan(this.#isAsleep ? this.#sleepMs() : everyMs)
    }
  }

  async #ask(): Promise<void> {
    const polls = [...this.#polls]
    if (polls.length === 0) return
    if (this.#services.db.placement !== undefined) {
      for (const { wake } of polls) wake()
      return
    }
    try {
      if (!(await this.#isResting())) await this.#findWork(polls)
    } catch (error) {
      this.#rest = undefined
      // Each loop finds out by itself what is wrong, and says so.
      for (const { wake } of polls) wake()
      throw error
    }
  }

  /** Whether the poller rests, and this process has not used the database since. */
  async #maySleep(): Promise<boolean> {
    const { db, isAlone = async () => false } = this.#services
    if (this.#rest === undefined || db.usage === undefined) return false
    const isAsleep = await isAlone()
    return isAsleep && db.usage.count === this.#rest?.uses
  }

  /** Returns how long the poller may sleep: not beyond the time for which it has looked ahead. */
  #sleepMs(): number {
    const { clock } = this.#services
    const { nowMs = 0, elapsedMs = 0 } = this.#rest ?? {}
    const leftMs = Math.min(nowMs - clock.now(), elapsedMs - clock.elapsed())
    return Math.max(everyMs, Math.min(sleepMs, leftMs))
  }

  async #isResting(): Promise<boolean> {
    const { db, clock } = this.#services
    const rest = this.#rest
    if (rest === undefined || clock.now() > rest.nowMs || clock.elapsed() > rest.elapsedMs) return false
    const uses = this.#usesAfterOwn()
    if ((await readSnapshot(db)) !== rest.snapshot) return false
    rest.uses = uses
    return rest === this.#rest
  }

  async #findWork(polls: readonly Poll[]): Promise<void> {
    const { snapshot, found } = await this.#probe(polls, 0)
    for (const [i, { wake }] of polls.entries()) if (found[i]) wake()
    const isSettled = snapshot === this.#foundNothingIn
    this.#foundNothingIn = found.includes(true) ? undefined : snapshot
    this.#rest = undefined
    // A process that works asks every time: something is due or written again and again.
    const looksAhead = isSettled && !found.includes(true)
    if (looksAhead && this.#services.clock.elapsed() >= this.#lookAheadAtMs) await this.#lookAhead(polls)
  }

  async #lookAhead(polls: readonly Poll[]): Promise<void> {
    const { clock } = this.#services
    const [nowMs, elapsedMs] = [clock.now() + aheadMs, clock.elapsed() + aheadMs]
    const uses = this.#usesAfterOwn()
    const { snapshot, found } = await this.#probe(polls, aheadMs)
    const isSame = polls.length === this.#polls.size && polls.every((poll) => this.#polls.has(poll))
    if (found.includes(true)) this.#lookAheadAtMs = clock.elapsed() + aheadMs / 2
    else if (isSame) this.#rest = { snapshot, uses, nowMs, elapsedMs }
  }

  #probe(polls: readonly Poll[], ms: number): Promise<Findings> {
    return findWork(
      this.#services.db,
      polls.map(({ probe }) => probe(ms)),
    )
  }

  /** Returns the count of uses after the next statement of the poller, if there is no other. */
  #usesAfterOwn(): number | undefined {
    const { usage } = this.#services.db
    return usage && usage.count + usesOfStatement
  }
}
