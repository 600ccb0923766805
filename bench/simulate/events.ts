type Event = { readonly atUs: number; readonly order: number; readonly run: () => void }

/** The future of a simulation: what happens at which microsecond. Events of one moment happen in the order in which they were added. */
export class Events {
  readonly #heap: Event[] = []
  #order = 0
  #nowUs = 0

  get nowUs(): number {
    return this.#nowUs
  }

  after(us: number, run: () => void): void {
    this.#push({ atUs: this.#nowUs + us, order: this.#order++, run })
  }

  /** Lets everything happen until a moment. */
  runUntil(untilUs: number): void {
    while (this.#heap.length > 0 && this.#heap[0]!.atUs <= untilUs) {
      const event = this.#pop()
      this.#nowUs = event.atUs
      event.run()
    }
    this.#nowUs = untilUs
  }

  #push(event: Event): void {
    const heap = this.#heap
    let at = heap.push(event) - 1
    while (at > 0) {
      const above = (at - 1) >> 1
      if (isBefore(heap[above]!, event)) break
      heap[at] = heap[above]!
      at = above
    }
    heap[at] = event
  }

  #pop(): Event {
    const heap = this.#heap
    const first = heap[0]!
    const last = heap.pop()!
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let below = 2 * at + 1
      if (below >= heap.length) break
      if (below + 1 < heap.length && isBefore(heap[below + 1]!, heap[below]!)) below++
      if (isBefore(last, heap[below]!)) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = last
    return first
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.atUs < other.atUs || (one.atUs === other.atUs && one.order < other.order)
}
