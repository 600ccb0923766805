import { Worker } from 'node:worker_threads'
import {
  type Answer,
  type FromThread,
  type Order,
  pulsePerson,
  pulseTurn,
  type ThreadStart,
  type ToThread,
} from '../liquid/order.ts'

/** How often threads are looked at. */
export const watchMs = 250
/** Until a thread has started it may take so long. */
const startMs = 30_000
/** What the parsed templates and everything that rendering makes may take; beyond it the thread dies, alone. */
const resourceLimits = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 }

export type Death = { readonly failed: string; readonly person: number } | { readonly fault: Error }

type Ears = { told(news: FromThread): void; died(reason: Death): void }

/** A thread that renders, seen from outside: told what to do, watched, and ended when it does not come back. */
export class Thread {
  readonly #worker: Worker
  readonly #ears: Ears
  readonly #pulse = new Int32Array(new SharedArrayBuffer(8))
  readonly #stillMsMax: number
  #seenTurn = 0
  #stillMs = 0
  #isOver = false

  /** `stillMs`: when it stands still for so long, it is ended. */
  constructor(serviceName: string, stillMs: number, ears: Ears) {
    this.#stillMsMax = stillMs
    const workerData: ThreadStart = { serviceName, pulse: this.#pulse }
    this.#ears = ears
    this.#worker = new Worker(new URL('./thread.ts', import.meta.url), {
      workerData,
      resourceLimits,
      execArgv: [],
      env: {},
    })
    this.#worker.unref()
    this.#worker.on('message', (news: FromThread) => {
      if (!this.#isOver) ears.told(news)
    })
    this.#worker.on('error', (error) => this.#die(error as NodeJS.ErrnoException))
    this.#worker.on('exit', (code) => this.#die(new Error(`a thread that renders ended with code ${code}`)))
  }

  begin(order: Order): void {
    this.#stillMs = 0
    this.#worker.ref()
    try {
      this.#send({ order })
    } catch (error) {
      // Functions and their like do not travel. Whoever gave the order goes on first.
      queueMicrotask(() => this.#report({ fault: error as Error }))
    }
  }

  answer(answers: readonly Answer[]): void {
    this.#send({ answers })
  }

  /** Nothing is under way: the process may leave. */
  rest(): void {
    this.#worker.unref()
  }

  /** Called every `watchMs` while something is under way. Looks are counted, not time: when this process stands still, so does time. */
  look(): void {
    const turn = Atomics.load(this.#pulse, pulseTurn)
    this.#stillMs = turn === this.#seenTurn ? this.#stillMs + watchMs : 0
    this.#seenTurn = turn
    if (this.#stillMs < (turn === 0 ? startMs : this.#stillMsMax)) return
    if (turn === 0) this.#die(new Error(`a thread that renders did not start within ${startMs} ms`))
    else this.#report({ failed: `rendering was ended: it stood still for ${this.#stillMs} ms`, person: this.#person })
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#worker.terminate()
  }

  get #person(): number {
    return Atomics.load(this.#pulse, pulsePerson)
  }

  #send(message: ToThread): void {
    this.#worker.postMessage(message)
  }

  #die(error: NodeJS.ErrnoException): void {
    const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    const failed = 'rendering was ended: it took more memory than a text may take'
    this.#report(isMemory ? { failed, person: this.#person } : { fault: error })
  }

  #report(reason: Death): void {
    if (this.#isOver) return
    void this.end()
    this.#ears.died(reason)
  }
}
