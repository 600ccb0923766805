const periodMs = 5

/**
 * Measures how long this process could do nothing, because it did something else or other programs used its processor. A test process is
 * the attacker, the neighbour and the mail server at the same time.
 */
export class HeldTime {
  #heldMs = 0
  #lookedMs = performance.now()
  readonly #timer = setInterval(() => this.#look(), periodMs)

  /** The milliseconds so far. */
  get ms(): number {
    this.#look()
    return this.#heldMs
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #look(): void {
    const nowMs = performance.now()
    this.#heldMs += Math.max(0, nowMs - this.#lookedMs - periodMs)
    this.#lookedMs = nowMs
  }
}
