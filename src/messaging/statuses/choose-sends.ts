import { isWithinShare } from '../../base/work/shares.ts'

/** The most sends that are looked at, or told about, at the same time. */
export const openSendsMax = 32
/** The most of them that are sends of one workspace. */
export const workspaceSendsMax = 8

/** How many sends of each workspace are open. Workspaces without open sends are absent. */
export type OpenSends = ReadonlyMap<number, number>

type Due = { readonly dispatch_id: string; readonly workspace_id: number }

/** Returns those of the workspaces that get a further send now. Pure. */
export function workspacesWithRoom(workspaceIds: readonly number[], open: OpenSends): number[] {
  const all = sumOf(open)
  return workspaceIds.filter((workspace_id) => hasRoom(open.get(workspace_id) ?? 0, all))
}

/**
 * Chooses among sends that are due, earliest first: always the next one of the workspace with the fewest open sends, as long as that has
 * room. Pure.
 */
export function chooseSends<Send extends Due>(due: readonly Send[], open: OpenSends): Send[] {
  const waiting = [...Map.groupBy(due, ({ workspace_id }) => workspace_id)].map(([workspace_id, sends]) => {
    return { own: open.get(workspace_id) ?? 0, sends, next: 0 }
  })
  const chosen: Send[] = []
  for (let all = sumOf(open); ; all++) {
    const [first] = waiting.filter(({ sends, next }) => next < sends.length).sort((a, b) => a.own - b.own)
    if (!first || !hasRoom(first.own, all)) return chosen
    chosen.push(first.sends[first.next++]!)
    first.own++
  }
}

/** Whether a workspace with `own` of `all` open sends may have one more. Something is left for the next workspace. */
function hasRoom(own: number, all: number): boolean {
  return own < workspaceSendsMax && isWithinShare(own + 1, all + 1, openSendsMax)
}

function sumOf(open: OpenSends): number {
  return open.values().reduce((sum, count) => sum + count, 0)
}
