import type { AttributeChange } from '../profile/attributes.ts'

/** An operation of a change that has no effect, or not all of it: the attribute, and the rest of a sentence that begins with it. */
export type Loss = { readonly key: string; readonly reason: string }

/** What a flush did not keep of the items of its requests. */
export type ItemLosses = {
  /** Changes that were refused, each with the text that refuses it. */
  readonly refused: ReadonlyMap<AttributeChange, string>
  readonly losses: ReadonlyMap<AttributeChange, readonly Loss[]>
  /** Items about people who do not exist and were not created. */
  readonly unmatched: ReadonlySet<object>
}

export const nothingLost: ItemLosses = { refused: new Map(), losses: new Map(), unmatched: new Set() }

export class FlushOutcome implements ItemLosses {
  readonly refused = new Map<AttributeChange, string>()
  readonly losses = new Map<AttributeChange, readonly Loss[]>()
  readonly unmatched = new Set<object>()
  /**
   * Whether items were given to people because of a refused change: it changes an address, or creates the person. Then the flush must be
   * applied again without it.
   */
  mustApplyAgain = false

  /** Begins an attempt. Changes that an earlier attempt refused stay refused. */
  begin(): void {
    this.mustApplyAgain = false
    this.losses.clear()
    this.unmatched.clear()
  }

  refuse(change: AttributeChange, text: string, isNew: boolean): void {
    this.refused.set(change, text)
    const { email, phone } = change.standard ?? {}
    this.mustApplyAgain ||= isNew || email !== undefined || phone !== undefined
  }
}
