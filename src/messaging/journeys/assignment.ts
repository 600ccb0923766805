import { sha256 } from '../../base/ids.ts'

const pointBytes = 6
const hundred = 100

/**
 * Whether somebody is in the control group of a flow, that `percent` of all people are in. Always the same for the same flow and person;
 * who is in a group of 10 % is in one of 20 %.
 */
export function isInControlGroup(flow_id: number, profile_id: string, percent: number): boolean {
  return percent > 0 && pointOf(`control/${flow_id}/${profile_id}`) < percent
}

/** The variant of a flow that somebody gets who is not in its control group; always the same while the shares are. */
export function assignedVariant<V extends { readonly percent: number }>(
  flow_id: number,
  profile_id: string,
  variants: readonly V[],
): V {
  return variants.length === 1 ? variants[0]! : shareAt(variants, pointOf(`variant/${flow_id}/${profile_id}`))
}

/** The path of an experiment that an entry takes: the same one every time it comes to the step. */
export function experimentPath<P extends { readonly percent: number }>(
  entry_id: string,
  step: string,
  paths: readonly P[],
): P {
  return shareAt(paths, pointOf(`path/${entry_id}/${step}`))
}

/** 0 to 100, 100 excluded, spread evenly over texts. */
function pointOf(text: string): number {
  return (sha256(text).readUIntBE(0, pointBytes) / 2 ** (pointBytes * 8)) * hundred
}

function shareAt<S extends { readonly percent: number }>(shares: readonly S[], point: number): S {
  let below = 0
  for (const share of shares) {
    below += share.percent
    if (point < below) return share
  }
  // Shares that add up to a little less than 100 because of their fractions; one of nobody gets nobody here either.
  return shares.findLast(({ percent }) => percent > 0) ?? shares.at(-1)!
}
