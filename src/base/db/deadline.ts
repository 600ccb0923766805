/**
 * Counts how long a session has owed an answer, in the main thread: the only place that still runs when a server, a network or
 * an embedded engine hangs. One timer per session, moved instead of made anew.
 */
export class Deadline {
  readonly #expire: () => void
  #timer: NodeJS.Timeout | undefined
  #ms: number
  #owed = 0
  #answered = 0

  constructor(ms: number, expire: () => void) {
    this.#ms = ms
    this.#expire = expire
    this.#timer = this.#start()
  }

  /** Time for each statement from now on. */
  allow(ms: number): void {
    if (ms === this.#ms || !this.#timer) return
    this.#ms = ms
    clearTimeout(this.#timer)
    this.#timer = this.#start()
  }

  sent(): void {
    if (this.#owed++ === 0) this.#timer?.refresh()
  }

  answered(): void {
    this.#answered++
    if (--this.#owed > 0) this.#timer?.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#check(), this.#ms).unref()
  }

  #check(): void {
    if (this.#owed === 0) return
    const answeredBefore = this.#answered
    // After a long pause of this thread the answer may already be here, unread: let it in first.
    setImmediate(() => {
      if (this.#owed === 0) return
      if (this.#answered === answeredBefore) this.#expire()
      else this.#timer?.refresh()
    })
  }
}
