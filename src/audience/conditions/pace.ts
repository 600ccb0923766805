import { bucketCount } from '../../base/db/buckets.ts'

/** How much one statement reads: buckets, and people in them. */
export type Pace = { readonly buckets: number; readonly people: number }

/** How a statement went. `filled`: it found as many people as were wanted. `few`: it found much fewer. */
export type Turn = { readonly tookMs: number; readonly filled: boolean; readonly few: boolean }

const firstBuckets = 8
/** So few that even the largest profiles take a fraction of a second. */
const firstPeople = 32
const growth = 4
/** So many times longer than the fastest turn, a turn spends most of its time on people and not on its plan. */
const fastestTimes = 3
/** The longest time that a turn should take for that reason. */
const turnMsMax = 300

export const firstPace: Pace = { buckets: firstBuckets, people: firstPeople }

/**
 * Returns how much the next statement reads: more after a quick one, less after one that took longer than `targetMs`. Fewer buckets when
 * they have more people than are wanted, and many more when they have very few. It never reads fewer people than the first statement, or a
 * machine that stood still for a moment would be followed by a turn for each person. Pure.
 */
export function nextPace({ buckets, people }: Pace, { tookMs, filled, few }: Turn, targetMs: number): Pace {
  const inTime = targetMs / Math.max(tookMs, 1)
  const wanted = filled ? 1 / growth : few ? growth * growth : growth
  return {
    buckets: Math.min(scaled(buckets, Math.min(inTime, wanted)), bucketCount),
    people: Math.max(scaled(people, Math.min(inTime, growth)), firstPeople),
  }
}

/**
 * Returns how long a turn should take when the fastest one took `fastestMs`. Planning a large tree takes the same time for few people as
 * for many, and turns that mostly plan would never end. Pure.
 */
export function targetOf(turnMs: number, fastestMs: number): number {
  return Math.max(turnMs, Math.min(turnMsMax, fastestMs * fastestTimes))
}

/** Multiplies a number. A factor above 1 always gives more: a 1 that is rounded down would stay 1. */
function scaled(count: number, factor: number): number {
  return factor > 1 ? Math.ceil(count * factor) : Math.max(1, Math.floor(count * factor))
}
