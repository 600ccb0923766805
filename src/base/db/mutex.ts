/** Lets one caller at a time through, in the order of their calls. */
export class Mutex {
  #waiting: { resolve: () => void; reject: (reason: unknown) => void }[] = []
  #held = false

  /** Resolves when the caller holds the mutex. Rejects with `late()` after `waitMs`. */
  acquire(waitMs: number, late: () => Error): Promise<void> {
    if (!this.#held) {
      this.#held = true
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const waiter = {
        resolve: () => {
          clearTimeout(timer)
          resolve()
        },
        reject: (reason: unknown) => {
          clearTimeout(timer)
          reject(reason)
        },
      }
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
        reject(late())
      }, waitMs)
      this.#waiting.push(waiter)
    })
  }

  /** Passes the mutex on to the next waiting caller. */
  release(): void {
    const next = this.#waiting.shift()
    if (next) next.resolve()
    else this.#held = false
  }

  /** Rejects all waiting callers with the reason. */
  rejectWaiting(reason: unknown): void {
    for (const { reject } of this.#waiting.splice(0)) reject(reason)
  }
}
