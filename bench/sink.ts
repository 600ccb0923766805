import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { registerCleanup } from './cleanup.ts'
import type { SinkCounts } from './sink-counts.ts'

const pollMs = 10

/** `http` answers as a provider of text messages and as a receiver of webhooks. */
const programs = {
  mail: new URL('./sink-server.ts', import.meta.url),
  http: new URL('./http-sink-server.ts', import.meta.url),
}

/** The server that gets the messages of the benchmark, in a process of its own so that it is not measured. */
export class Sink implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #cleanUp: () => Promise<void>

  constructor(program: keyof typeof programs = 'mail') {
    const child = fork(programs[program], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
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

  /** Reads the counts since its start; `last`: with what it got last. */
  async read(command: 'read' | 'last' = 'read'): Promise<SinkCounts> {
    const answered = once(this.#child, 'message')
    this.#child.send(command)
    const [counts] = (await answered) as [SinkCounts]
    return counts
  }

  /** Resolves when it has received this many messages in all. Rejects when none arrives for `idleMsMax`. */
  async until(messages: number, idleMsMax: number): Promise<void> {
    let seen = { messages: -1, atMs: performance.now() }
    for (;;) {
      const counts = await this.read()
      if (counts.messages >= messages) return
      if (counts.messages > seen.messages) seen = { messages: counts.messages, atMs: performance.now() }
      else if (performance.now() - seen.atMs > idleMsMax)
        throw new Error(`the sink has received ${counts.messages} of ${messages} messages`)
      await sleep(pollMs)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp()
  }
}
