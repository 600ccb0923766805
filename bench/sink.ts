import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerCleanup } from './cleanup.ts'
import type { SinkCounts } from './sink-server.ts'

const pollMs = 10

/** The mail server of the benchmark, in a process of its own so that it is not measured. */
export class Sink implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #cleanUp: () => Promise<void>

  constructor() {
    const child = fork(new URL('./sink-server.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#child = child
    this.#cleanUp = registerCleanup(async () => {
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    })
  }

  get pid(): number {
    return this.#child.pid!
  }

  /** Reads the counts since its start; `last`: with the raw bytes of the last mail. */
  async read(command: 'read' | 'last' = 'read'): Promise<SinkCounts> {
    const answered = once(this.#child, 'message')
    this.#child.send(command)
    const [counts] = (await answered) as [SinkCounts]
    return counts
  }

  /** Resolves when it has received this many mails in all. Rejects when none arrives for `idleMsMax`. */
  async until(mails: number, idleMsMax: number): Promise<void> {
    let seen = { mails: -1, atMs: performance.now() }
    for (;;) {
      const counts = await this.read()
      if (counts.mails >= mails) return
      if (counts.mails > seen.mails) seen = { mails: counts.mails, atMs: performance.now() }
      else if (performance.now() - seen.atMs > idleMsMax)
        throw new Error(`the sink has received ${counts.mails} of ${mails} mails`)
      await sleep(pollMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp()
  }
}
