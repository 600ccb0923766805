import { unavailable } from '../errors.ts'

/** Calls that wait for others about the same. */
export const waitingMax = 200

type Lane = { end: Promise<void>; length: number }

/**
 * One thing after the other where they are about the same: calls about one device, or one catalog, would only wait for each other in
 * the database, each with a session in its hands. Other processes have lanes of their own.
 */
export class KeyedMutex {
  readonly #lanes = new Map<string, Lane>()

  /** Does the work when all that came before it under this key has ended. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const lane = this.#lanes.getOrInsertComputed(key, () => ({ end: Promise.resolve(), length: 0 }))
    if (lane.length > waitingMax) throw unavailable('The service is busy')
    lane.length++
    const { promise: end, resolve: leave } = Promise.withResolvers<void>()
    const before = lane.end
    lane.end = end
    try {
      await before
      return await work()
    } finally {
      leave()
      lane.length--
      if (lane.length === 0) this.#lanes.delete(key)
    }
  }
}
