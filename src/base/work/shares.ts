/** A limit that callers share, such as the memory for bodies of requests. */
export type Shares = {
  /** Counts an amount for a caller; a negative one is given back. Returns whether the caller is within its share. It counts in any case. */
  add(caller: string, amount: number): boolean
}

export function openShares(max: number): Shares {
  const ofCallers = new Map<string, number>()
  let all = 0
  return {
    add(caller, amount) {
      const own = (ofCallers.get(caller) ?? 0) + amount
      all += amount
      if (own === 0) ofCallers.delete(caller)
      else ofCallers.set(caller, own)
      return isWithinShare(own, all, max)
    },
  }
}

/**
 * Returns whether a caller that has `own` of `all` is within its share: it may have as much as is free. One caller alone gets half, two get
 * a third each, so that something is always left for the next one.
 */
export function isWithinShare(own: number, all: number, max: number): boolean {
  return own <= max - all
}
