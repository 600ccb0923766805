import { sha256 } from '../../base/ids.ts'

const pointBytes = 6
const hundred = 100

/**
 * Whether a person is in the control group of a flow, which has `percent` of all people. Always the same for one flow and person: the group
 * of 10% is part of the group of 20%. Pure.
 */
export function isInControlGroup(flow_id: number, profile_id: string, percent: number): boolean {
  return percent > 0 && pointOf(`control/${flow_id}/${profile_id}`) < percent
}

/** Returns the variant of a person outside the control group. The same as long as the percentages do not change. Pure. */
export function assignedVariant<V extends { readonly percent: number }>(
  flow_id: number,
  profile_id: string,
  variants: readonly V[],
): V {
  return variants.length === 1 ? variants[0]! : shareAt(variants, pointOf(`variant/${flow_id}/${profile_id}`))
}

/** Returns the path of an experiment that an entry takes, the same at every visit. Pure. */
export function experimentPath<P extends { readonly percent: number }>(
  entry_id: string,
  step: string,
  paths: readonly P[],
): P {
  return shareAt(paths, pointOf(`path/${entry_id}/${step}`))
}

/** Returns a number from 0 to below 100. Texts are distributed evenly. */
function pointOf(text: string): number {
  return (sha256(text).readUIntBE(0, pointBytes) / 2 ** (pointBytes * 8)) * hundred
}

function shareAt<S extends { readonly percent: number }>(shares: readonly S[], point: number): S {
  let below = 0
  for (const share of shares) {
    below += share.percent
    if (point < below) return share
  }
  // The sum of fractions may be a little less than 100. A variant of 0% gets no people.
  return shares.findLast(({ percent }) => percent > 0) ?? shares.at(-1)!
}
