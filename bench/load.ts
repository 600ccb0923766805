import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { askChild } from './ask-child.ts'
import { registerCleanup } from './cleanup.ts'
import type { LoadCommand, LoadCounts, LoadOptions, LoadReply } from './load-protocol.ts'

/** A child process that sends requests in a closed loop, from `startLoad` until it is disposed. */
export class Load implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #cleanUp: () => Promise<void>

  constructor(child: ChildProcess) {
    this.#child = child
    this.#cleanUp = registerCleanup(async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      if (child.connected) child.send({ kind: 'stop' } satisfies LoadCommand)
      const deadline = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await exited
      clearTimeout(deadline)
    })
  }

  /** Reads the counts since the last reading or the start. */
  async read(): Promise<LoadCounts> {
    const reply = await this.ask({ kind: 'read' })
    if (reply.kind !== 'counts') throw new Error(`the load answered ${reply.kind} to a reading`)
    return reply.counts
  }

  ask(command: LoadCommand): Promise<LoadReply> {
    return askChild<LoadReply>(this.#child, command, 'load')
  }

  start(): void {
    this.#child.send({ kind: 'start' } satisfies LoadCommand)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp()
  }
}

const stopMs = 10_000

export async function startLoad(options: LoadOptions): Promise<Load> {
  const load = new Load(
    fork(new URL('./load-process.ts', import.meta.url), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  )
  await load.ask({ kind: 'prepare', options })
  load.start()
  return load
}
