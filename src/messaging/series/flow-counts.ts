import type { Tx } from '../../base/db/db.ts'
import type { SeriesRange } from '../../workspace/tallies/read-range.ts'
import { rounded } from '../../workspace/tallies/read-tally.ts'
import { sumTally } from '../../workspace/tallies/tally-store.ts'
import { conversionMeasure, type FlowMeasure, type FlowPart, parsePart } from '../flows/flow-tally.ts'

/** A sum of one part on one day of a range. `position` is that of the day, from 0. */
export type FlowCount = FlowPart & { readonly position: number; readonly count: number; readonly amount: number }

/** What a count is about: everything, or one variant, step or both. */
export type CountFilter = { readonly variant?: string; readonly step?: string }

/** What was counted of a flow or a send, on one day or on several together. */
export class FlowCounts {
  readonly #counts: readonly FlowCount[]

  constructor(counts: readonly FlowCount[]) {
    this.#counts = counts
  }

  at(position: number): FlowCounts {
    return new FlowCounts(this.#counts.filter((each) => each.position === position))
  }

  of({ variant, step }: CountFilter): FlowCounts {
    const isWanted = (each: FlowCount) =>
      (variant === undefined || each.variant === variant) && (step === undefined || each.step === step)
    return new FlowCounts(this.#counts.filter(isWanted))
  }

  count(measure: FlowMeasure): number {
    return this.#sum(measure, 'count')
  }

  amount(measure: FlowMeasure): number {
    return rounded(this.#sum(measure, 'amount'))
  }

  /** The ids of variants or steps with any count, without what belongs to none. */
  ids(member: 'variant' | 'step'): string[] {
    return [...new Set(this.#counts.map((each) => each[member]))].filter((id) => id !== '').sort()
  }

  #sum(measure: FlowMeasure, member: 'count' | 'amount'): number {
    return this.#counts.reduce((sum, each) => sum + (each.measure === measure ? each[member] : 0), 0)
  }
}

export async function readFlowCounts(tx: Tx, subject: string, { startsMs }: SeriesRange): Promise<FlowCounts> {
  const sums = await sumTally(tx, subject, startsMs)
  return new FlowCounts(
    sums.map(({ part, position, count, amount }) => {
      return { ...parsePart(part), position: position - 1, count: Number(count), amount }
    }),
  )
}

/** Returns the numbers of e-mails. */
export function emailStats(counts: FlowCounts) {
  const sent = counts.count('sent')
  return {
    sent,
    delivered: sent - counts.count('returned'),
    opens: counts.count('opens'),
    unique_opens: counts.count('unique_opens'),
    clicks: counts.count('clicks'),
    unique_clicks: counts.count('unique_clicks'),
    unsubscribes: counts.count('unsubscribes'),
    bounces: counts.count('bounces'),
    reported_spam: counts.count('reported_spam'),
  }
}

type ConversionStats<Start extends string> = { conversions: number } & Record<`conversions_by_${Start}_time`, number>

/** Returns the conversions of a flow that has so many, each by its time and by that of its start. The first is always there. */
export function conversionStats<Start extends 'send' | 'entry'>(
  counts: FlowCounts,
  conversions: number,
  start: Start,
): ConversionStats<Start> {
  const measures = Array.from({ length: Math.max(conversions, 1) }, (_, i) => conversionMeasure(i))
  const stats = measures.flatMap((measure) => [
    [measure, counts.count(measure)] as const,
    [`${measure}_by_${start}_time`, counts.count(`${measure}_by_start`)] as const,
  ])
  return Object.fromEntries(stats) as ConversionStats<Start>
}
