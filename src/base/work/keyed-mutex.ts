import { unavailable } from '../errors.ts'

/** Calls that may wait for one key. */
export const waitingMax = 200

type Queue = { end: Promise<void>; length: number }

/**
 * Runs one call at a time for each key, in this process. Calls about one device or one catalog would otherwise wait for each other in the
 * database, each with a session of its own.
 */
export class KeyedMutex {
  readonly #queues = new Map<string, Queue>()

  /** Runs the work after all earlier work of this key. Throws `unavailable` when too many calls wait. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.#queues.getOrInsertComputed(key, () => ({ end: Promise.resolve(), length: 0 }))
    if (queue.length > waitingMax) throw unavailable('The service is busy')
    queue.length++
    const { promise: end, resolve: release } = Promise.withResolvers<void>()
    const before = queue.end
    queue.end = end
    try {
      await before
      return await work()
    } finally {
      release()
      queue.length--
      if (queue.length === 0) this.#queues.delete(key)
    }
  }
}
