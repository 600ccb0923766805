/** Returns whole percents that add to 100 and differ by at most one. Pure. */
export function equalShares(count: number): number[] {
  const least = Math.floor(100 / count)
  return Array.from({ length: count }, (_, i) => least + (i < 100 - least * count ? 1 : 0))
}

/** Returns the sum of percents; what is no number counts as nothing. Pure. */
export function sumOf(percents: readonly unknown[]): number {
  return percents.reduce<number>((sum, percent) => sum + (typeof percent === 'number' ? percent : 0), 0)
}
