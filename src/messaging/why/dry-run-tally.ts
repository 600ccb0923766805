import type { Person } from '../../people/identity/person.ts'
import { type DecisionReason, type Reason, reasons } from '../ledger/reasons.ts'

export type DryRunOutcome = 'would_enter' | Reason

/** A person, or an identifier that nobody has, and the outcome. */
export type JudgedPerson = {
  readonly outcome: DryRunOutcome
  readonly person?: Person
  readonly asked?: object
  readonly variant?: string
  readonly refused?: Pick<DecisionReason, 'rule' | 'inputs'>
}

/** Counts the outcomes of a dry run, and keeps the first few people of each. */
export class DryRunTally {
  readonly #counts = new Map<DryRunOutcome, number>()
  readonly #variants = new Map<string, number>()
  readonly #shown = new Map<DryRunOutcome, JudgedPerson[]>()
  readonly #shownMax: number

  constructor(shownMax: number) {
    this.#shownMax = shownMax
  }

  add(judged: JudgedPerson): void {
    this.count(judged.outcome, 1)
    if (judged.variant !== undefined) this.#variants.set(judged.variant, (this.#variants.get(judged.variant) ?? 0) + 1)
    this.show(judged)
  }

  count(outcome: DryRunOutcome, count: number): void {
    if (count > 0) this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + count)
  }

  show(judged: JudgedPerson): void {
    const shown = this.#shown.getOrInsertComputed(judged.outcome, () => [])
    if (shown.length < this.#shownMax) shown.push(judged)
  }

  counted(): { counts: Record<string, number>; variants: Record<string, number> } {
    const counts = { would_enter: 0, ...Object.fromEntries(this.#counts) }
    return { counts, variants: Object.fromEntries(this.#variants) }
  }

  /** Returns the kept people, those who would enter first. */
  sampled(): (JudgedPerson & { because: string })[] {
    const enters = (outcome: DryRunOutcome) => (outcome === 'would_enter' ? 0 : 1)
    return [...this.#shown]
      .toSorted(([a], [b]) => enters(a) - enters(b))
      .flatMap(([, people]) => people.map((each) => ({ ...each, because: describeOutcome(each.outcome) })))
  }
}

function describeOutcome(outcome: DryRunOutcome): string {
  return outcome === 'would_enter' ? 'nothing is against it' : reasons[outcome]
}
