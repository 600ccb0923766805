/**
 * The reasons for which a loop of this process can be woken. `expansion`: a slot is due · `delivery`: a message is queued · `journeys`: an
 * entry can move · `flows`: a flow was paused, resumed or stopped · `signals`: a signal is written · `exports`: an export is accepted ·
 * `webhooks`: a feed has new events, or a webhook may send again.
 */
export type WakeupName = 'expansion' | 'delivery' | 'journeys' | 'flows' | 'signals' | 'exports' | 'webhooks'

/**
 * Tells loops of this process that there is work, so that rooms need not import each other. A wake-up is a hint and may be lost: the
 * work is in the database, where a loop of any process finds it at its next turn.
 */
export class Wakeups {
  readonly #listeners = new Map<WakeupName, Set<() => void>>()

  /** Calls every listener of the name, at once. Call it after the commit of the work. */
  wake(name: WakeupName): void {
    for (const listener of this.#listeners.get(name) ?? []) listener()
  }

  /** Registers a listener, which must not throw, such as `loop.wake`. Returns the function that removes it. */
  on(name: WakeupName, listener: () => void): () => void {
    const listeners = this.#listeners.getOrInsertComputed(name, () => new Set())
    // With a wrapper, the same function can be registered twice, and each registration is removed separately.
    const registered = () => listener()
    listeners.add(registered)
    return () => {
      listeners.delete(registered)
    }
  }
}
