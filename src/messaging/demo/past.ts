import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'

/** A clock that a demo sets to the instants of its past. It takes its elapsed time from the clock of the service. */
export class PastClock implements Clock {
  readonly #clock: Clock
  #nowMs = 0
  #lastUs = 0

  constructor(clock: Clock, nowMs: number) {
    this.#clock = clock
    this.#nowMs = nowMs
  }

  set(nowMs: number): void {
    this.#nowMs = Math.floor(nowMs)
  }

  now(): number {
    return this.#nowMs
  }

  stamp(): number {
    // Stamps of one instant differ. The clock may be set back, to what another person did a while before.
    const isSame = Math.floor(this.#lastUs / 1000) === this.#nowMs
    this.#lastUs = isSame ? this.#lastUs + 1 : this.#nowMs * 1000
    return this.#lastUs
  }

  elapsed(): number {
    return this.#clock.elapsed()
  }
}

/**
 * Returns an open transaction as a database: verbs that begin transactions of their own become parts of it. Nobody sees what they write
 * before all of it is committed.
 */
export function within(tx: Tx, { backend, log }: Pick<Db, 'backend' | 'log'>): Db {
  return {
    backend,
    log,
    query: (statement) => tx.query(statement),
    transaction: (work) => work(tx),
    execute: () => Promise.reject(new Error('no commands run in the transaction of a demo')),
    close: () => Promise.reject(new Error('the transaction of a demo is closed by its database')),
  }
}
