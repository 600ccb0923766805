import type { Tx } from '../../base/db/db.ts'
import type { SeriesRange } from './read-range.ts'
import { sumTally } from './tally-store.ts'

/** Nothing is counted before this year. */
export const beginningMs = Date.UTC(1700)

/** A point of a series: how often something happened, and the sum of its amounts. */
export type TallyPoint = { readonly time: string; readonly count: number; readonly amount: number }

/** Returns a point for each of a range, of one part or of all together. What nothing happened at has zeros. */
export async function readTally(
  tx: Tx,
  subject: string,
  part: string | undefined,
  { times, startsMs }: SeriesRange,
): Promise<TallyPoint[]> {
  const points = emptyPoints(times)
  for (const { position, count, amount } of await sumTally(tx, subject, startsMs, part === undefined ? {} : { part })) {
    points[position - 1]!.count += count
    points[position - 1]!.amount += amount
  }
  return points.map((point) => ({ ...point, amount: rounded(point.amount) }))
}

/** Returns for each point of a range the sum of everything until its end. */
export async function readRunningTally(
  tx: Tx,
  subject: string,
  part: string,
  { times, startsMs }: SeriesRange,
): Promise<TallyPoint[]> {
  const sums = await sumTally(tx, subject, startsMs, { part, fromMs: beginningMs })
  const counts = new Map(sums.map(({ position, count }) => [position, count]))
  let count = counts.get(0) ?? 0
  return times.map((time, i) => {
    count += counts.get(i + 1) ?? 0
    return { time, count, amount: 0 }
  })
}

export function emptyPoints(times: readonly string[]): { time: string; count: number; amount: number }[] {
  return times.map((time) => ({ time, count: 0, amount: 0 }))
}

/** Sums of decimal numbers have errors in their last digits. */
export function rounded(amount: number): number {
  return Number(amount.toPrecision(12))
}
