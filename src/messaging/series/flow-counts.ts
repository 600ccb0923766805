import type { Tx } from '../../base/db/db.ts'
import type { SeriesRange } from '../../workspace/tallies/read-range.ts'
import { rounded } from '../../workspace/tallies/read-tally.ts'
import { sumTally } from '../../workspace/tallies/tally-store.ts'
import type { CountedMeasure } from '../channels/channel-counts.ts'
import { findChannel } from '../channels/channels.ts'
import { conversionMeasure, type FlowMeasure, type FlowPart, parsePart } from '../flows/flow-tally.ts'

/** A sum of one part on one day of a range. `position` is that of the day, from 0. */
export type FlowCount = FlowPart & { readonly position: number; readonly count: number; readonly amount: number }

/** What a count is about: everything, or one variant, step or both. */
export type CountFilter = { readonly variant?: string; readonly step?: string; readonly channel?: string }

/** What was counted of a flow or a send, on one day or on several together. */
export class FlowCounts {
  readonly #counts: readonly FlowCount[]

  constructor(counts: readonly FlowCount[]) {
    this.#counts = counts
  }

  at(position: number): FlowCounts {
    return new FlowCounts(this.#counts.filter((each) => each.position === position))
  }

  of({ variant, step, channel }: CountFilter): FlowCounts {
    const isWanted = (each: FlowCount) =>
      (variant === undefined || each.variant === variant) &&
      (step === undefined || each.step === step) &&
      (channel === undefined || each.channel === channel)
    return new FlowCounts(this.#counts.filter(isWanted))
  }

  count(measure: FlowMeasure): number {
    return this.#sum(measure, 'count')
  }

  amount(measure: FlowMeasure): number {
    return rounded(this.#sum(measure, 'amount'))
  }

  /** Returns how often something was counted of messages. */
  measured(measure: CountedMeasure): number {
    return measure === 'delivered' ? this.count('sent') - this.count('returned') : this.count(measure)
  }

  /** The ids of variants or steps, or the channels, with any count, without what belongs to none. */
  ids(member: 'variant' | 'step' | 'channel'): string[] {
    return [...new Set(this.#counts.map((each) => each[member]))].filter((id) => id !== '').sort()
  }

  #sum(measure: FlowMeasure, member: 'count' | 'amount'): number {
    return this.#counts.reduce((sum, each) => sum + (each.measure === measure ? each[member] : 0), 0)
  }
}

/** Reads what was counted of a flow or a send in spans of time, which begin one after the other. */
export async function readFlowCounts(
  tx: Tx,
  subject: string,
  { startsMs }: Pick<SeriesRange, 'startsMs'>,
): Promise<FlowCounts> {
  const sums = await sumTally(tx, subject, startsMs)
  return new FlowCounts(
    sums.map(({ part, position, count, amount }) => {
      return { ...parsePart(part), position: position - 1, count, amount }
    }),
  )
}

/** Returns what was counted of the messages of a channel, by the members of data series. */
export function messageStats(counts: FlowCounts, channel: string): { sent: number } {
  const own = counts.of({ channel })
  const others = (findChannel(channel)?.counted.counts ?? []).map(({ measure, member = measure }) => {
    return [member, own.measured(measure)] as const
  })
  return { sent: own.count('sent'), ...Object.fromEntries(others) }
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
