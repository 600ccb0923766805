import type { Failure } from '../../base/errors.ts'

/** Counts what is being rendered outside of messages, by workspace. Each holds its texts in memory, and each could take a second. */
export class OpenRenderings {
  readonly #counts = new Map<number, number>()
  readonly #max: number
  readonly #refusal: () => Failure

  /** `refusal` makes the error while a workspace has `max`. */
  constructor(max: number, refusal: () => Failure) {
    this.#max = max
    this.#refusal = refusal
  }

  async run<T>(workspace_id: number, render: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(workspace_id) ?? 0
    if (count >= this.#max) throw this.#refusal()
    this.#counts.set(workspace_id, count + 1)
    try {
      return await render()
    } finally {
      const left = this.#counts.get(workspace_id)! - 1
      if (left > 0) this.#counts.set(workspace_id, left)
      else this.#counts.delete(workspace_id)
    }
  }
}
