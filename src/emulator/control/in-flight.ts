import { unavailable } from '../../base/errors.ts'
import type { Reply } from '../../base/http/intercept.ts'

type Answering = { readonly workspace_id: number; readonly cut: (reason: Error) => void; readonly done: Promise<void> }

/** The requests whose verbs work now. */
export class InFlight {
  readonly #all = new Set<Answering>()

  /**
   * Calls a verb. When the request is cut meanwhile, it is refused at once, whatever the verb returns later; the signal is aborted.
   */
  async run(workspace_id: number, handle: (signal: AbortSignal) => Promise<Reply>): Promise<Reply> {
    const { promise, reject } = Promise.withResolvers<never>()
    const stop = new AbortController()
    const working = handle(stop.signal)
    const done = working.then(
      () => {},
      () => {},
    )
    const cut = (reason: Error) => {
      reject(reason)
      stop.abort()
    }
    const answering = { workspace_id, cut, done }
    this.#all.add(answering)
    void done.then(() => this.#all.delete(answering))
    return Promise.race([working, promise])
  }

  /** Refuses the requests that are being answered: all, or those of a workspace. */
  cut(workspace_id?: number): void {
    for (const each of this.#all) {
      if (workspace_id === undefined || each.workspace_id === workspace_id) each.cut(wasReset())
    }
  }

  /** Forgets the requests that are being answered: what they work with is gone. */
  forget(): void {
    this.#all.clear()
  }

  /** Waits until no verb works, at most `waitMs`. Returns how many still work. */
  async drained(waitMs: number): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, waitMs)
    await Promise.race([Promise.all([...this.#all].map(({ done }) => done)), promise])
    clearTimeout(timer)
    return this.#all.size
  }
}

/** The refusal of a request that arrived before a reset. */
export function wasReset(): Error {
  return unavailable('The emulator was reset while this request was being answered')
}
