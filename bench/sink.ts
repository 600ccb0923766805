import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DrainCounts } from './drain.ts'
import { leaveLater } from './leftovers.ts'

const pollMs = 10

/** Where mails go, in a process of its own so that it is not what is measured. */
export class Sink implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #leave: () => Promise<void>

  constructor() {
    const child = fork(new URL('./drain.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child = child
    this.#leave = leaveLater(async () => {
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** What it has taken since it started; `last`: with the bytes of the last mail, as they came. */
  async read(asked: 'read' | 'last' = 'read'): Promise<DrainCounts> {
    const answered = once(this.#child, 'message')
    this.#child.send(asked)
    const [counts] = (await answered) as [DrainCounts]
    return counts
  }

  /** Resolves when it has taken so many in all; rejects when none comes for `patienceMs`. */
  async until(mails: number, patienceMs: number): Promise<void> {
    let seen = { mails: -1, atMs: performance.now() }
    for (;;) {
      const counts = await this.read()
      if (counts.mails >= mails) return
      if (counts.mails > seen.mails) seen = { mails: counts.mails, atMs: performance.now() }
      else if (performance.now() - seen.atMs > patienceMs)
        throw new Error(`the sink waits for ${mails} mails and has got ${counts.mails}`)
      await sleep(pollMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#leave()
  }
}
