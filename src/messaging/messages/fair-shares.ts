import type { Lane, MessageClass } from './message.ts'

/** Of which lane how many are taken. */
export type LaneShare = Lane & { readonly count: number }

/** How many of each class there is room for. */
export type Capacity = { readonly [kind in MessageClass]: number }

/**
 * Room for each class is spread evenly over the workspaces that have something due, so that a large send does not keep the others
 * waiting. Where there are more workspaces than room they take turns: `turn` counts up.
 */
export function fairShares(due: readonly Lane[], room: Capacity, turn: number): LaneShare[] {
  return (['transactional', 'marketing'] as const).flatMap((kind) => {
    const lanes = due.filter((lane) => lane.class === kind).sort((a, b) => a.workspace_id - b.workspace_id)
    if (lanes.length === 0) return []
    const each = Math.floor(room[kind] / lanes.length)
    const left = room[kind] % lanes.length
    const from = (turn * left) % lanes.length
    const inTurn = [...lanes.slice(from), ...lanes.slice(0, from)]
    return inTurn.map((lane, i) => ({ ...lane, count: each + (i < left ? 1 : 0) })).filter(({ count }) => count > 0)
  })
}
