import type { Settings } from './settings.ts'

/** Random buckets of people, from 0 to 9999, both ends included. */
export type BucketRange = { readonly from: number; readonly to: number }

/** Returns the ranges of the global control group of a workspace; none without a group. */
export function controlRanges({
  global_control_group,
}: Pick<Settings, 'global_control_group'>): readonly BucketRange[] {
  return global_control_group.ranges
}

/** Returns the first range that has a random bucket; undefined for a person outside the global control group. Pure. */
export function findControlRange(
  settings: Pick<Settings, 'global_control_group'>,
  random_bucket: number,
): BucketRange | undefined {
  return controlRanges(settings).find(({ from, to }) => from <= random_bucket && random_bucket <= to)
}
