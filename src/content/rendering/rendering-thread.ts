import { Worker } from 'node:worker_threads'
import {
  type FromThread,
  heartbeatPerson,
  heartbeatTurn,
  type QueryAnswer,
  type RenderJob,
  type ThreadStart,
  type ToThread,
} from './thread-protocol.ts'

/** How often a busy thread is checked. */
export const checkEveryMs = 250
/** How long a thread may take to start. */
const startMs = 30_000
/** The memory for parsed templates and for rendering. A thread that needs more dies, but the process does not. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

/** Why a thread died: because of the person with this index in its job, or because of a defect of Easel. */
export type ThreadDeath = { readonly failed: string; readonly person: number } | { readonly fault: Error }

type ThreadListener = { onMessage(message: FromThread): void; onDeath(reason: ThreadDeath): void }

/** The interface of the main thread to a worker thread that renders (`thread-main.ts`). A thread that stops responding is ended. */
export class RenderingThread {
  readonly #worker: Worker
  readonly #listener: ThreadListener
  readonly #heartbeat = new Int32Array(new SharedArrayBuffer(8))
  readonly #unresponsiveMsMax: number
  #lastTurn = 0
  #unresponsiveMs = 0
  #isOver = false

  /** `unresponsiveMs`: how long its heartbeat may stop. */
  constructor(serviceName: string, unresponsiveMs: number, listener: ThreadListener) {
    this.#unresponsiveMsMax = unresponsiveMs
    const workerData: ThreadStart = { serviceName, heartbeat: this.#heartbeat }
    this.#listener = listener
    this.#worker = new Worker(new URL('./thread-main.ts', import.meta.url), {
      workerData,
      resourceLimits,
      execArgv: [],
      env: {},
    })
    this.#worker.unref()
    this.#worker.on('message', (message: FromThread) => {
      if (!this.#isOver) listener.onMessage(message)
    })
    this.#worker.on('error', (error) => this.#die(error as NodeJS.ErrnoException))
    this.#worker.on('exit', (code) => this.#die(new Error(`a thread that renders ended with code ${code}`)))
  }

  start(job: RenderJob): void {
    this.#unresponsiveMs = 0
    this.#worker.ref()
    try {
      this.#send({ job })
    } catch (error) {
      // A function, for example, cannot be copied to a thread. The failure is reported later, when the pool has recorded the job.
      queueMicrotask(() => this.#report({ fault: error as Error }))
    }
  }

  answer(answers: readonly QueryAnswer[]): void {
    this.#send({ answers })
  }

  /** Lets the process exit while this thread has no job. */
  release(): void {
    this.#worker.unref()
  }

  /** Call this every `checkEveryMs` while there is a job. It counts calls, not time, so that a suspended process does not count. */
  check(): void {
    const turn = Atomics.load(this.#heartbeat, heartbeatTurn)
    this.#unresponsiveMs = turn === this.#lastTurn ? this.#unresponsiveMs + checkEveryMs : 0
    this.#lastTurn = turn
    if (this.#unresponsiveMs < (turn === 0 ? startMs : this.#unresponsiveMsMax)) return
    if (turn === 0) this.#die(new Error(`a thread that renders did not start within ${startMs} ms`))
    else {
      const failed = `rendering was ended: it did not respond for ${this.#unresponsiveMs} ms`
      this.#report({ failed, person: this.#person })
    }
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#worker.terminate()
  }

  get #person(): number {
    return Atomics.load(this.#heartbeat, heartbeatPerson)
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #die(error: NodeJS.ErrnoException): void {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const failed = 'rendering was ended: it took more memory than a text may take'
    this.#report(isMemory ? { failed, person: this.#person } : { fault: error })
  }

  #report(reason: ThreadDeath): void {
    if (this.#isOver) return
    void this.end()
    this.#listener.onDeath(reason)
  }
}
