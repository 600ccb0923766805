import type { Random } from '../random.ts'

const steps = 2 ** 30

/** Returns a number from 0, less than 1. */
export function drawShare(random: Random): number {
  return random.below(steps) / steps
}

/** Returns a time until the next of independent events, in microseconds, with this many of them a second on average. */
export function drawPause(random: Random, perSecond: number): number {
  return (-Math.log(1 - drawShare(random)) * 1e6) / perSecond
}

/**
 * Draws ranks from 0 with the distribution of Zipf: rank n is drawn in proportion to 1 / (n + 1) ** exponent. With exponent 0 all ranks are
 * equally likely; with 1 the first of a million is named by 7 % of all updates.
 */
export class Zipf {
  readonly #until: Float64Array

  constructor(count: number, exponent: number) {
    this.#until = new Float64Array(count)
    let sum = 0
    for (let rank = 0; rank < count; rank++) {
      sum += 1 / (rank + 1) ** exponent
      this.#until[rank] = sum
    }
  }

  /** Returns the share of the draws that name a rank. */
  shareOf(rank: number): number {
    const before = rank === 0 ? 0 : this.#until[rank - 1]!
    return (this.#until[rank]! - before) / this.#until.at(-1)!
  }

  draw(random: Random): number {
    const wanted = drawShare(random) * this.#until.at(-1)!
    let [low, high] = [0, this.#until.length - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#until[middle]! > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
}
