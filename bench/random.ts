/** Repeatable random numbers: the same seed gives the same numbers everywhere (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** Returns a whole number from 0, less than `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** Returns `size` flags, of which exactly `count` are true. */
  chosen(size: number, count: number): boolean[] {
    const flags = Array.from({ length: size }, (_, i) => i < count)
    for (let i = size - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const flag = flags[i]!
      flags[i] = flags[j]!
      flags[j] = flag
    }
    return flags
  }
}
