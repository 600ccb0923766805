/** The quantile of the normal distribution for 95%. */
const z = 1.959964

/** A share of a number of tries, and the interval in which it lies with 95% confidence. */
export type Share = { readonly rate: number; readonly low: number; readonly high: number }

/** Returns the Wilson interval of `hits` out of `tries`; undefined without tries. More hits than tries count as all. Pure. */
export function wilsonShare(hits: number, tries: number): Share | undefined {
  if (tries <= 0) return undefined
  const rate = Math.min(hits / tries, 1)
  const middle = rate + z ** 2 / (2 * tries)
  const spread = z * Math.sqrt((rate * (1 - rate)) / tries + z ** 2 / (4 * tries ** 2))
  const whole = 1 + z ** 2 / tries
  return {
    rate: rounded(rate),
    low: rounded(Math.max((middle - spread) / whole, 0)),
    high: rounded(Math.min((middle + spread) / whole, 1)),
  }
}

function rounded(share: number): number {
  return Math.round(share * 1e6) / 1e6
}
