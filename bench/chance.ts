/** Repeatable chance: the same seed draws the same numbers everywhere (mulberry32). */
export class Chance {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  /** A whole number from 0 up to and without `below`. */
  below(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!
  }

  /** Which of `size` places are chosen when exactly `count` of them are. */
  chosen(size: number, count: number): boolean[] {
    const places = Array.from({ length: size }, (_, i) => i < count)
    for (let i = size - 1; i > 0; i--) {
      const j = this.below(i + 1)
      const held = places[i]!
      places[i] = places[j]!
      places[j] = held
    }
    return places
  }
}
