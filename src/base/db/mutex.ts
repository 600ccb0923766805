/** One thing, held by one at a time, handed on in the order of asking. Waiting ends with `give` or with `refuse`. */
export class Mutex {
  #waiting: { proceed: () => void; leave: (reason: unknown) => void }[] = []
  #held = false

  /** Resolves when it is the caller's turn; rejects with `late()` after `waitMs`. */
  acquire(waitMs: number, late: () => Error): Promise<void> {
    if (!this.#held) {
      this.#held = true
      return Promise.resolve()
    }
    return new Promise((proceed, leave) => {
      const place = {
        proceed: () => {
          clearTimeout(timer)
          proceed()
        },
        leave: (reason: unknown) => {
          clearTimeout(timer)
          leave(reason)
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(place), 1)
        leave(late())
      }, waitMs)
      this.#waiting.push(place)
    })
  }

  /** The holder is done: the next one's turn. */
  release(): void {
    const next = this.#waiting.shift()
    if (next) next.proceed()
    else this.#held = false
  }

  /** Everybody who waits leaves empty-handed. */
  rejectWaiting(reason: unknown): void {
    for (const { leave } of this.#waiting.splice(0)) leave(reason)
  }
}
