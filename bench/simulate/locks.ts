/** Locks of rows: who asks first gets it first. Ask in the order of the keys, so that no two wait for each other. */
export class Locks {
  readonly #held = new Map<number, (() => void)[]>()
  waits = 0

  /** Takes the locks one after the other, then calls `done`. */
  take(keys: readonly number[], done: () => void, from = 0): void {
    for (let at = from; at < keys.length; at++) {
      const waiting = this.#held.get(keys[at]!)
      if (waiting) {
        this.waits++
        waiting.push(() => this.take(keys, done, at + 1))
        return
      }
      this.#held.set(keys[at]!, [])
    }
    done()
  }

  release(keys: readonly number[]): void {
    for (const key of keys) {
      const next = this.#held.get(key)?.shift()
      if (next) next()
      else this.#held.delete(key)
    }
  }
}
