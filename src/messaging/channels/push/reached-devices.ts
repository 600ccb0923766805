/** Pushes that some of their devices have and others do not have yet, in memory. */
export const pushesMax = 10_000

/**
 * Remembers which devices have a push that is sent again to others. After the end of the process a device may get it again. It has the same
 * tag then, so the device shows it once.
 */
export class ReachedDevices {
  readonly #tokens = new Map<string, ReadonlySet<string>>()

  of(message_id: string): ReadonlySet<string> {
    return this.#tokens.get(message_id) ?? new Set()
  }

  remember(message_id: string, tokens: ReadonlySet<string>): void {
    this.#tokens.delete(message_id)
    this.#tokens.set(message_id, tokens)
    // The oldest is first.
    if (this.#tokens.size > pushesMax) this.#tokens.delete(this.#tokens.keys().next().value!)
  }

  forget(message_id: string): void {
    this.#tokens.delete(message_id)
  }
}
