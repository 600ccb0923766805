import { Failure } from '../../base/errors.ts'

/** Previews of one workspace that are rendered at the same time. */
export const previewsMax = 4

/** Counts the previews that are being rendered, by workspace. Each holds its texts in memory, and each could take a second. */
export class OpenPreviews {
  readonly #counts = new Map<number, number>()

  /** Renders a preview. Throws 429 while the workspace has too many. */
  async run<T>(workspace_id: number, render: () => Promise<T>): Promise<T> {
    const count = this.#counts.get(workspace_id) ?? 0
    if (count >= previewsMax)
      throw new Failure('rateLimited', `At most ${previewsMax} previews of a workspace may be rendered at a time`, {
        retryAfterS: 1,
      })
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
