import type { EntryEnd, EntryPosition } from './entry.ts'

/** Arrivals that a trail records: the first ones. The counts of steps go on, and `visits` says how many arrivals there were. */
export const trailMax = 200

/** A way out of a step with several: `yes`, `no`, `otherwise`, or the index of a path in the definition. */
export type TakenPath = 'yes' | 'no' | typeof otherwisePath | `${number}`

export const otherwisePath = 'otherwise'

/** Returns a path as a trail names it: names of paths may be long. */
export function takenPath<P extends { readonly next: string | undefined }>(
  paths: readonly P[],
  path: P,
): { to: string | undefined; path: TakenPath } {
  return { to: path.next, path: `${paths.indexOf(path)}` }
}

/** How an entry left a step: for another (`to`), or for its end. `from` is empty before the first step, `path` where there is one way. */
export type Hop = {
  readonly from: string
  readonly path: TakenPath | ''
  readonly to: string
  readonly ended: EntryEnd | ''
  /** Epoch milliseconds of business time. */
  readonly ms: number
  /** How many arrivals the entry has with this one; for an end, had. */
  readonly arrivals: number
}

/** An arrival as a row has it: the step, epoch milliseconds of business time, and the path out of the step before. */
export type Arrived = readonly [step: string, ms: number, path: TakenPath | '']

type Before = Pick<EntryPosition, 'step' | 'visits'>

/** Returns the arrival of an entry at its first step. */
export function firstHop({ step }: Pick<EntryPosition, 'step'>, ms: number): Hop {
  return { from: '', path: '', to: step, ended: '', ms, arrivals: 1 }
}

/** Returns how an entry left its step by a move, or undefined when it stays there. Pure. */
export function hopBetween(
  before: Before,
  after: EntryPosition,
  path: TakenPath | undefined,
  ms: number,
): Hop | undefined {
  const way = { from: before.step, path: path ?? '', ms, arrivals: arrivalsOf(after) } as const
  if (after.state === 'ended') return { ...way, to: '', ended: after.ended! }
  return after.visits === before.visits ? undefined : { ...way, to: after.step, ended: '' }
}

/** Returns what hops add to a trail: their arrivals, as far as the trail records them. */
export function trailOf(hops: readonly Hop[]): Arrived[] {
  return hops.flatMap(({ to, ms, path, arrivals }): Arrived[] => {
    return to === '' || arrivals > trailMax ? [] : [[to, ms, path]]
  })
}

/** Returns how often an entry arrived at a step. */
export function arrivalsOf({ visits }: Pick<EntryPosition, 'visits'>): number {
  return Object.values(visits).reduce((sum, count) => sum + count, 0)
}
