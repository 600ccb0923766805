import { bucketCount } from '../../base/db/buckets.ts'
import type { BucketRange } from '../conditions/joins-store.ts'
import { type Leaf, leavesOf, type Tree } from '../conditions/tree.ts'

/** A number of people. With a probability of 95% it is off by at most `error`; 0 when people were counted one by one. */
export type Estimate = { readonly count: number; readonly error: number }

/** The fewest and most buckets of a sample. */
export const sampleBucketsMin = 8
export const sampleBucketsMax = 256
/** A sample has about so many people, as far as its limits of buckets allow. */
export const sampledPeople = 12_000
/** The same for conditions that take four times as long for each person. */
export const sampledSlowly = 3_000
/** 95% of a normal distribution are within so many standard deviations. */
const deviations = 1.96

/** Returns how many people a sample should have, so that an estimate takes as long for these conditions as for others. Pure. */
export function sampleSizeFor(tree: Tree): number {
  return [...leavesOf(tree)].some(isSlow) ? sampledSlowly : sampledPeople
}

/** The state of a group is looked up by the hash of an address, and only JavaScript evaluates patterns. */
function isSlow(leaf: Leaf): boolean {
  if (leaf.kind === 'subscription_group') return true
  const tests = 'what' in leaf ? leaf.what.properties.map(({ test }) => test) : 'test' in leaf ? [leaf.test] : []
  return tests.some(({ comparison }) => comparison === 'matches_regex' || comparison === 'does_not_match_regex')
}

/** Returns how many buckets a sample reads to have `wantedPeople` when `people` are in the first ones. Pure. */
export function sampleWidth(people: number, firstBuckets: number, wantedPeople: number): number {
  const wanted = Math.ceil((wantedPeople * firstBuckets) / Math.max(people, 1))
  return Math.min(Math.max(wanted, sampleBucketsMin), sampleBucketsMax)
}

/** Returns the buckets of a sample: the same ones each time, so that two counts of the same people do not differ by chance. Pure. */
export function sampleOf(workspace_id: number, width: number): BucketRange {
  const from = (Math.imul(workspace_id, 0x9e3779b1) >>> 20) % (bucketCount - width + 1)
  return { from, below: from + width }
}

/**
 * Estimates how many people there are when `found` are in a sample of the buckets. A person is in the sample by chance, because a bucket is
 * a hash. The error is the upper end of a score interval: it is right for small counts too, and 0 for a sample of all buckets. Pure.
 */
export function estimateOf(found: number, buckets: number): Estimate {
  const share = buckets / bucketCount
  const spread = deviations ** 2 * (1 - share)
  const more = spread / 2 + Math.sqrt(spread * (found + spread / 4))
  return { count: Math.round(found / share), error: Math.ceil(more / share) }
}
