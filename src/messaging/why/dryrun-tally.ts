import type { Person } from '../../people/identity/person.ts'
import { type DecisionReason, type Reason, reasons } from '../ledger/reasons.ts'

export type Outcome = 'would_enter' | Reason

/** Somebody, or an identifier that nobody has, and what would become of them. */
export type Seen = {
  readonly outcome: Outcome
  readonly who?: Person
  readonly asked?: object
  readonly variant?: string
  readonly refused?: Pick<DecisionReason, 'rule' | 'inputs'>
}

/** Counts of a dry run, with a few people of each outcome: the first who are seen. */
export class Tally {
  readonly #counts = new Map<Outcome, number>()
  readonly #variants = new Map<string, number>()
  readonly #shown = new Map<Outcome, Seen[]>()
  readonly #shownMax: number

  constructor(shownMax: number) {
    this.#shownMax = shownMax
  }

  add(seen: Seen): void {
    this.count(seen.outcome, 1)
    if (seen.variant !== undefined) this.#variants.set(seen.variant, (this.#variants.get(seen.variant) ?? 0) + 1)
    this.show(seen)
  }

  count(outcome: Outcome, count: number): void {
    if (count > 0) this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + count)
  }

  show(seen: Seen): void {
    const shown = this.#shown.getOrInsertComputed(seen.outcome, () => [])
    if (shown.length < this.#shownMax) shown.push(seen)
  }

  counted(): { counts: Record<string, number>; variants: Record<string, number> } {
    const counts = { would_enter: 0, ...Object.fromEntries(this.#counts) }
    return { counts, variants: Object.fromEntries(this.#variants) }
  }

  /** Whoever would enter first. */
  sampled(): (Seen & { because: string })[] {
    const enters = (outcome: Outcome) => (outcome === 'would_enter' ? 0 : 1)
    return [...this.#shown]
      .toSorted(([a], [b]) => enters(a) - enters(b))
      .flatMap(([, seen]) => seen.map((each) => ({ ...each, because: becauseOf(each.outcome) })))
  }
}

function becauseOf(outcome: Outcome): string {
  return outcome === 'would_enter' ? 'nothing is against it' : reasons[outcome]
}
