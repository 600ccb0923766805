/** Readers that wait for new events, by workspace. */
export class FeedWaiters {
  readonly #waiting = new Map<number, Set<() => void>>()
  #isClosed = false

  /** Whether nobody may wait any more, because the process stops. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Resolves at the next event of a workspace, or after `ms`. */
  wait(workspace_id: number, ms: number): Promise<void> {
    if (this.#isClosed) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.getOrInsertComputed(workspace_id, () => new Set())
    const end = () => {
      clearTimeout(timer)
      waiting.delete(end)
      resolve()
    }
    const timer = setTimeout(end, ms)
    waiting.add(end)
    return promise
  }

  /** Tells the readers of these workspaces that there may be new events. */
  wake(workspaces: readonly number[]): void {
    for (const workspace_id of workspaces) for (const end of [...(this.#waiting.get(workspace_id) ?? [])]) end()
  }

  /** Ends all waits, and those that would begin later. */
  close(): void {
    this.#isClosed = true
    this.wake([...this.#waiting.keys()])
  }
}
