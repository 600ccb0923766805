/** A part of the axis in which nothing happens for long, drawn short. */
export type Cut = { readonly fromMs: number; readonly untilMs: number; readonly left: number; readonly width: number }

/** Where moments are on a drawing, in percent of its width. */
export type Axis = {
  at(ms: number): number
  readonly cuts: readonly Cut[]
  /** Moments that have room for a label, from the left. */
  readonly labels: readonly number[]
}

/** A time is cut when it is so many times as long as all shorter ones together. */
const cutFactor = 3
/** The most of the drawing that all cuts together take, in percent, and the most that one takes. */
const cutsMax = 60
const cutMax = 30
/** Labels are at least so far apart, in percent. */
const labelGap = 40

/**
 * Returns an axis on which all moments have their place in the order of time. Times between two of them are drawn in proportion, but for
 * those that would leave no room for the others: these are cut. Pure.
 */
export function axisOf(moments: readonly number[]): Axis {
  const times = [...new Set(moments)].sort((a, b) => a - b)
  const gaps = times.slice(1).map((ms, i) => ms - times[i]!)
  const isCut = cutsOf(gaps)
  const cutCount = isCut.filter(Boolean).length
  const plain = gaps.reduce((sum, gap, i) => sum + (isCut[i] ? 0 : gap), 0)
  const cutWidth = Math.min(cutMax, 100 / gaps.length, cutsMax / Math.max(cutCount, 1))
  const rest = 100 - cutWidth * cutCount
  const places = [0]
  for (const [i, gap] of gaps.entries()) places.push(places[i]! + (isCut[i] ? cutWidth : (gap / plain) * rest))
  const at = (ms: number) => placeIn(times, places, ms)
  const cuts = gaps.flatMap((_, i): Cut[] => {
    if (!isCut[i]) return []
    return [{ fromMs: times[i]!, untilMs: times[i + 1]!, left: places[i]!, width: places[i + 1]! - places[i]! }]
  })
  return { at, cuts, labels: labelsOf(times, at) }
}

/** Returns which of the times between moments are cut. The shortest ones never are. */
function cutsOf(gaps: readonly number[]): boolean[] {
  const byLength = gaps.toSorted((a, b) => a - b)
  const cut = new Set<number>()
  let shorter = 0
  for (let i = 0; i < byLength.length; ) {
    const gap = byLength[i]!
    if (shorter > 0 && gap > shorter * cutFactor) cut.add(gap)
    // All of one length are cut, or none.
    for (; byLength[i] === gap; i++) shorter += gap
  }
  return gaps.map((gap) => cut.has(gap))
}

function placeIn(times: readonly number[], places: readonly number[], ms: number): number {
  const next = times.findIndex((each) => each >= ms)
  if (next < 0) return places.at(-1) ?? 0
  if (next === 0 || times[next] === ms) return places[next]!
  const [from, until] = [times[next - 1]!, times[next]!]
  return places[next - 1]! + ((ms - from) / (until - from)) * (places[next]! - places[next - 1]!)
}

/** Returns the first and the last moment, and those between that have room. */
function labelsOf(times: readonly number[], at: (ms: number) => number): number[] {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined || first === last) return times.slice(0, 1)
  const labels = [first]
  for (const ms of times.slice(1, -1)) {
    if (at(ms) - at(labels.at(-1)!) >= labelGap && at(last) - at(ms) >= labelGap) labels.push(ms)
  }
  return [...labels, last]
}
