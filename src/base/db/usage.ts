/** Tells how a process uses its database, so that work that only looks for changes can stop while there are none. */
export class Usage {
  /** Raised when a statement or a transaction begins, and when it has ended. While it stays the same, this process writes nothing. */
  count = 0
  readonly #listeners = new Set<() => void>()

  note(): void {
    this.count++
    for (const listener of this.#listeners) listener()
  }

  /** Calls a function, which must not throw, each time that the count is raised. Returns the function that removes it. */
  onUse(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => {
      this.#listeners.delete(listener)
    }
  }
}
