/**
 * Measures how long a session's oldest statement waits for its answer. It runs in the main thread, which still works when a server,
 * a network or an embedded engine hangs. One timer for each session, refreshed instead of created again.
 */
export class Deadline {
  readonly #expire: () => void
  #timer: NodeJS.Timeout | undefined
  #ms: number
  #waiting = 0
  #answered = 0

  constructor(ms: number, expire: () => void) {
    this.#ms = ms
    this.#expire = expire
    this.#timer = this.#start()
  }

  /** Sets the time for each statement from now on. */
  setMs(ms: number): void {
    if (ms === this.#ms || !this.#timer) return
    this.#ms = ms
    clearTimeout(this.#timer)
    this.#timer = this.#start()
  }

  sent(): void {
    if (this.#waiting++ === 0) this.#timer?.refresh()
  }

  answered(): void {
    this.#answered++
    if (--this.#waiting > 0) this.#timer?.refresh()
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #start(): NodeJS.Timeout {
    return setTimeout(() => this.#check(), this.#ms).unref()
  }

  #check(): void {
    if (this.#waiting === 0) return
    const answeredBefore = this.#answered
    // After a long pause of this thread the answer may have arrived without being read yet: read it first.
    setImmediate(() => {
      if (this.#waiting === 0) return
      if (this.#answered === answeredBefore) this.#expire()
      else this.#timer?.refresh()
    })
  }
}
