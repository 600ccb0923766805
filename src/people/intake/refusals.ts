import type { AttributeChange } from '../profile/attributes.ts'

/** The changes of a flush that would make a profile too large. */
export class Refusals {
  readonly #changes = new Set<AttributeChange>()
  /**
   * Whether items were given to people because of a refused change: it changes an address, or creates the person. Then the flush must be
   * applied again without it.
   */
  mustApplyAgain = false

  get changes(): ReadonlySet<AttributeChange> {
    return this.#changes
  }

  add(changes: readonly AttributeChange[], isNew: boolean): void {
    for (const change of changes) {
      this.#changes.add(change)
      const { email, phone } = change.standard ?? {}
      this.mustApplyAgain ||= isNew || email !== undefined || phone !== undefined
    }
  }
}
