import { type AnyLane, isSameLane, type Lane, type MessageClass } from './message.ts'

/** How many rows of a lane are claimed. */
export type LaneShare = Lane & { readonly count: number }

/** How many rows of each class can be claimed now. */
export type Capacity = { readonly [kind in MessageClass]: number }

/**
 * Divides the capacity of each class evenly among the queues that have something due, so that a large order does not delay the others.
 * Where there are more queues than capacity they take turns; `turn` counts the calls. Pure.
 */
export function fairShares<L extends AnyLane>(due: readonly L[], room: Capacity, turn: number): (L & LaneShare)[] {
  return (['transactional', 'marketing'] as const).flatMap((kind) => {
    const lanes = due.filter((lane) => lane.class === kind).sort(byQueue)
    if (lanes.length === 0) return []
    const each = Math.floor(room[kind] / lanes.length)
    const left = room[kind] % lanes.length
    const from = (turn * left) % lanes.length
    const inTurn = [...lanes.slice(from), ...lanes.slice(0, from)]
    return inTurn.map((lane, i) => ({ ...lane, count: each + (i < left ? 1 : 0) })).filter(({ count }) => count > 0)
  })
}

/** Gives each lane at least its own share, so that others that fill the capacity do not delay it. Pure. */
export function withOwnShares<L extends AnyLane>(
  shares: readonly (L & LaneShare)[],
  due: readonly L[],
  ownShare: (lane: L) => number,
): (L & LaneShare)[] {
  return due
    .map((lane) => {
      const share = shares.find((one) => isSameLane(one, lane))
      return { ...lane, count: Math.max(share?.count ?? 0, ownShare(lane)) }
    })
    .filter(({ count }) => count > 0)
}

/** Returns what is left of the shares after some rows were taken. Pure. */
export function sharesLeft<L extends AnyLane>(
  shares: readonly (L & LaneShare)[],
  taken: readonly AnyLane[],
): (L & LaneShare)[] {
  if (taken.length === 0) return [...shares]
  return shares
    .map((share) => ({ ...share, count: share.count - taken.filter((row) => isSameLane(row, share)).length }))
    .filter(({ count }) => count > 0)
}

/** Returns each lane once, transactional ones first: each shard tells its own lanes. Pure. */
export function distinctLanes<L extends AnyLane>(lanes: readonly L[]): L[] {
  const distinct = new Map(lanes.map((lane) => [`${lane.workspace_id} ${lane.channel ?? ''} ${lane.class}`, lane]))
  const rank = (lane: L) => (lane.class === 'transactional' ? 1 : 2)
  return [...distinct.values()].sort((one, other) => rank(one) - rank(other) || byQueue(one, other))
}

function byQueue({ workspace_id, channel = '' }: AnyLane, other: AnyLane): number {
  const { channel: another = '' } = other
  return workspace_id - other.workspace_id || (channel < another ? -1 : channel > another ? 1 : 0)
}
