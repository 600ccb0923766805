const tickCount = 4

/** Returns whole numbers for the marks of an axis from zero: the last one is the top of the chart, at or above the largest value. */
export function ticksFor(largest: number): number[] {
  const rough = Math.max(largest, 1) / tickCount
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max([1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough)!, 1)
  const count = Math.max(Math.ceil(largest / step), 1)
  return Array.from({ length: count + 1 }, (_, i) => i * step)
}
