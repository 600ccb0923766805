/** Numbers that look random and are the same for the same seed, so that each demo has the same people and history. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** Returns a fraction from 0 to below 1. */
  fraction(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }

  /** Returns a whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + Math.floor(this.fraction() * (most - least + 1))
  }

  /** Whether something that happens in this share of the cases happens now. */
  happens(share: number): boolean {
    return this.fraction() < share
  }

  pick<T>(list: readonly T[]): T {
    return list[this.whole(0, list.length - 1)]!
  }

  /** Returns an index of `weights`, in proportion to them. */
  weighted(weights: readonly number[]): number {
    let left = this.fraction() * weights.reduce((sum, weight) => sum + weight, 0)
    for (const [i, weight] of weights.entries()) {
      left -= weight
      if (left < 0) return i
    }
    return weights.length - 1
  }
}
