import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { engineFlagsOf } from '../test/support/engine-flags.ts'
import { askChild } from './ask-child.ts'
import { registerCleanup } from './cleanup.ts'
import type { KeptRequest, RequestCommand, RequestReply } from './request-protocol.ts'
import type { Sink } from './sink.ts'

/** undici alone, in a process of its own with the flags of the service. */
export class BareRequests implements AsyncDisposable {
  readonly #child: ChildProcess
  readonly #cleanUp: () => Promise<void>

  constructor() {
    const child = fork(new URL('./request-process.ts', import.meta.url), {
      execArgv: engineFlagsOf('start'),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    this.#child = child
    this.#cleanUp = registerCleanup(async () => {
      const exited = once(child, 'exit')
      if (child.connected) child.disconnect()
      await exited
    })
  }

  /** Sends what the sink got last again and again, `count` requests in all. */
  async send(sink: Sink, connections: number, count: number): Promise<RequestReply> {
    const { port, last } = await sink.read('last')
    const requests = JSON.parse(last!) as KeptRequest[]
    const command: RequestCommand = { origin: `http://127.0.0.1:${port}`, connections, requests, count }
    return askChild<RequestReply>(this.#child, command, 'bound')
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#cleanUp()
  }
}
