import { MessagePort, type Worker } from 'node:worker_threads'

/** Controls the thread of the embedded engine of a service in this process, to end it at a chosen moment. */
export type EngineTrap = Disposable & {
  /** Ends the thread at once. */
  end(): Promise<void>
  /**
   * Ends the thread around its next COMMIT: `request lost`, the engine never sees it; `answer lost`, it commits, and the answer
   * never arrives. Resolves when that has happened.
   */
  onCommit(fate: 'request lost' | 'answer lost'): void
  /** How many COMMITs were lost so far. */
  readonly commitsMet: number
}

/** COMMIT as the driver sends it: a simple query. */
const commit = Buffer.from('commit\0')
const commitMs = 1_000

/** Watches for engines from now on: call it before the service starts. It controls the engine that was started last. */
export function trapEngine(): EngineTrap {
  let engine: Worker | undefined
  const started = (worker: Worker) => {
    engine = worker
  }
  process.on('worker', started)
  let commitsMet = 0
  const { postMessage } = MessagePort.prototype
  return {
    async end() {
      await engine?.terminate()
    },
    get commitsMet() {
      return commitsMet
    },
    onCommit(fate) {
      MessagePort.prototype.postMessage = function (this: MessagePort, message: unknown, ...rest: unknown[]) {
        const isCommit = message instanceof Uint8Array && Buffer.from(message.buffer).includes(commit)
        if (!isCommit || fate === 'answer lost') Reflect.apply(postMessage, this, [message, ...rest])
        if (!isCommit) return
        MessagePort.prototype.postMessage = postMessage
        // This thread is blocked while the other one commits, and never reads the answer.
        if (fate === 'answer lost') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, commitMs)
        this.removeAllListeners('message')
        this.close()
        void engine?.terminate()
        commitsMet++
      }
    },
    [Symbol.dispose]() {
      process.off('worker', started)
      MessagePort.prototype.postMessage = postMessage
    },
  }
}
