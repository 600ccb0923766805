import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { withPlainNumbers } from './plain-numbers.ts'
import { cpuMsOf } from './process-cpu.ts'
import type { Beat, FromProcess, QueryAnswer, RenderJob, ToProcess } from './process-protocol.ts'

/** How often a busy process is checked. */
export const checkEveryMs = 250
/** How long a process may take to start. */
const startMs = 60_000
/** A process that waits for the CPU may be silent for so many times longer. */
const busyFactor = 10
/** Megabytes for parsed templates and for rendering. A process that needs more dies, but the service does not. */
export const processHeapMb = 128
/** Kilobytes of stack. Templates are nested deeply. */
const processStackKb = 3_000

const execArgv = [
  `--max-old-space-size=${processHeapMb}`,
  '--max-semi-space-size=16',
  `--stack-size=${processStackKb}`,
  '--disable-warning=ExperimentalWarning',
]

/** Why a process died: because of what it rendered, or because of a defect of Easel. */
export type ProcessDeath =
  /** `beat`: what it rendered. Undefined before it rendered anything. */
  { readonly failed: string; readonly beat: Beat | undefined } | { readonly fault: Error }

type ProcessListener = {
  onMessage(message: Exclude<FromProcess, { beat: unknown }>): void
  onDeath(reason: ProcessDeath): void
}

/**
 * The interface of the service to a process that renders (`process-main.ts`). It is a process, because one allocation beyond the heap of a
 * thread ends the whole process. It gets no environment. A process that stops responding is ended.
 */
export class RenderingProcess {
  readonly #child: ChildProcess
  readonly #listener: ProcessListener
  readonly #unresponsiveMsMax: number
  #beat: Beat | undefined
  #hasStarted = false
  #hasBeaten = false
  #unresponsiveMs = 0
  /** CPU time of the process at its last sign of life. */
  #cpuMs: number | undefined
  #isOver = false
  readonly #exited = Promise.withResolvers<void>()

  /** `unresponsiveMs`: how long it may be silent, in time of the CPU. */
  constructor(serviceName: string, unresponsiveMs: number, listener: ProcessListener) {
    this.#unresponsiveMsMax = unresponsiveMs
    this.#listener = listener
    this.#child = fork(fileURLToPath(new URL('./process-main.ts', import.meta.url)), [serviceName], {
      execArgv,
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    this.release()
    this.#child.on('message', (message) => this.#onMessage(message as FromProcess))
    this.#child.on('error', (error) => this.#report({ fault: error }))
    this.#child.on('exit', (code, signal) => {
      this.#exited.resolve()
      const failed = 'rendering was ended: it took more memory than the texts of a message may take'
      // V8 aborts when a heap is full, and the kernel kills.
      if (signal !== null) this.#report({ failed, beat: this.#beat })
      else this.#report({ fault: new Error(`a process that renders ended with code ${code}`) })
    })
  }

  start(job: RenderJob): void {
    this.#child.ref()
    this.#child.channel?.ref()
    try {
      this.#send({ job })
    } catch (error) {
      // A function, for example, cannot be copied to a process. The failure is reported later, when the pool has recorded the job.
      queueMicrotask(() => this.#report({ fault: error as Error }))
    }
  }

  answer(answers: readonly QueryAnswer[]): void {
    if (!this.#isOver) this.#send({ answers })
  }

  /** Lets the service exit while this process has no job. */
  release(): void {
    this.#unresponsiveMs = 0
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** Call this every `checkEveryMs` while there is a job. It counts calls, not time, so that a suspended service does not count. */
  check(): void {
    this.#unresponsiveMs = this.#hasBeaten ? 0 : this.#unresponsiveMs + checkEveryMs
    if (this.#hasBeaten) this.#cpuMs = cpuMsOf(this.#child.pid)
    this.#hasBeaten = false
    if (this.#unresponsiveMs < (this.#hasStarted ? this.#unresponsiveMsMax : startMs)) return
    if (this.#hasStarted && this.#waitsForCpu()) return
    if (!this.#hasStarted)
      this.#report({ fault: new Error(`a process that renders did not start within ${startMs} ms`) })
    else {
      const failed = `rendering was ended: it did not respond for ${this.#unresponsiveMs} ms`
      // Only the text that is being rendered can keep the process from responding.
      this.#report({ failed, beat: this.#beat && { ...this.#beat, isCertain: this.#beat.isLatest } })
    }
  }

  /** Returns whether other programs have the CPU, so that the process could not respond. */
  #waitsForCpu(): boolean {
    const cpuMs = cpuMsOf(this.#child.pid)
    if (cpuMs === undefined || this.#unresponsiveMs >= this.#unresponsiveMsMax * busyFactor) return false
    this.#cpuMs ??= cpuMs
    return cpuMs - this.#cpuMs < this.#unresponsiveMsMax
  }

  /** Resolves when the process has exited. */
  async end(): Promise<void> {
    this.#isOver = true
    this.#child.ref()
    this.#child.kill('SIGKILL')
    if (this.#child.pid !== undefined) await this.#exited.promise
  }

  #onMessage(message: FromProcess): void {
    this.#hasStarted = true
    this.#hasBeaten = true
    if (this.#isOver) return
    if ('beat' in message) this.#beat = message.beat ?? this.#beat
    else this.#listener.onMessage(message)
  }

  #send(message: ToProcess): void {
    // A process that has died is reported by its exit.
    if (this.#child.connected) this.#child.send(withPlainNumbers(message), () => {})
  }

  #report(reason: ProcessDeath): void {
    if (this.#isOver) return
    void this.end()
    this.#listener.onDeath(reason)
  }
}
