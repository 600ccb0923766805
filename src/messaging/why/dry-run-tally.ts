import type { Person } from '../../people/identity/person.ts'
import { type DecisionReason, type Reason, reasons } from '../ledger/reasons.ts'

export type DryRunOutcome = 'would_enter' | Reason

/** A person, or an identifier that nobody has, and the outcome. */
export type EvaluatedPerson = {
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
  readonly #samples = new Map<DryRunOutcome, EvaluatedPerson[]>()
  readonly #sampleMax: number
  #withoutAttribute = 0

  constructor(sampleMax: number) {
    this.#sampleMax = sampleMax
  }

  add(evaluated: EvaluatedPerson): void {
    this.count(evaluated.outcome, 1)
    if (evaluated.variant !== undefined)
      this.#variants.set(evaluated.variant, (this.#variants.get(evaluated.variant) ?? 0) + 1)
    this.sample(evaluated)
  }

  /** Counts a person who would enter and is chosen only for lacking an attribute. */
  addWithoutAttribute(): void {
    this.#withoutAttribute++
  }

  count(outcome: DryRunOutcome, count: number): void {
    if (count > 0) this.#counts.set(outcome, (this.#counts.get(outcome) ?? 0) + count)
  }

  /** Keeps a person for the sample, unless it is full. Does not count. */
  sample(evaluated: EvaluatedPerson): void {
    const sample = this.#samples.getOrInsertComputed(evaluated.outcome, () => [])
    if (sample.length < this.#sampleMax) sample.push(evaluated)
  }

  counted(): { counts: Record<string, number>; without_attribute: number; variants: Record<string, number> } {
    const counts = { would_enter: 0, ...Object.fromEntries(this.#counts) }
    return { counts, without_attribute: this.#withoutAttribute, variants: Object.fromEntries(this.#variants) }
  }

  /** Returns the kept people, those who would enter first. */
  sampled(): (EvaluatedPerson & { because: string })[] {
    const enters = (outcome: DryRunOutcome) => (outcome === 'would_enter' ? 0 : 1)
    return [...this.#samples]
      .toSorted(([a], [b]) => enters(a) - enters(b))
      .flatMap(([, people]) => people.map((each) => ({ ...each, because: describeOutcome(each.outcome) })))
  }
}

function describeOutcome(outcome: DryRunOutcome): string {
  return outcome === 'would_enter' ? 'nothing is against it' : reasons[outcome]
}
