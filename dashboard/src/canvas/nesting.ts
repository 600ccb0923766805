import { type Drawing, type DrawnStep, layersOf, none } from './layers.ts'

/** Steps one after another, as the outline lists them. */
export type Sequence = readonly Nested[]

/** A step, with what follows on its paths until they join again. What comes after the join is in the sequence of the step. */
export type Nested = {
  readonly id: string
  /** One for each path, in their order. */
  readonly paths: readonly NestedPath[]
}

/** What follows on a path: steps of its own, a step that is listed elsewhere, the end, or what comes next in the list (`on`). */
export type NestedPath =
  | { readonly kind: 'steps'; readonly steps: Sequence }
  | { readonly kind: 'to'; readonly id: string }
  | { readonly kind: 'end' | 'on' }

export type Nesting = {
  /** One for each start. */
  readonly starts: readonly NestedPath[]
  /** What comes after the starts have joined. */
  readonly steps: Sequence
  readonly unreached: Sequence
}

/** Returns the steps as a nested list in which each step is once: paths under their split, and a join after it. Pure. */
export function nestingOf(drawing: Drawing): Nesting {
  const { nodes, before, dominators, order } = layersOf(drawing)
  const indexes = new Map(nodes.flatMap(({ kind, id }, at) => (kind === 'step' ? [[id, at] as const] : [])))
  const pathsOf = new Map(drawing.steps.toReversed().map(({ id, paths }) => [id, paths]))
  const isBranch = (at: number) => before[at]!.length === 1 && nodes[before[at]![0]!]!.isSplit
  const dominated = new Map<number, number[]>()
  for (const at of order) {
    if (nodes[at]!.kind !== 'step') continue
    const own = dominated.get(dominators[at]!)
    if (own) own.push(at)
    else dominated.set(dominators[at]!, [at])
  }
  const indexOf = (next: string | null) => (next === null ? undefined : indexes.get(next))
  const followsOf = (from: number, paths: DrawnStep['paths'], following: number | undefined): NestedPath[] => {
    const seen = new Set<number>()
    return paths.map(({ next }) => {
      const to = indexOf(next)
      if (to === undefined) return { kind: 'end' }
      if (to === following && paths.length === 1) return { kind: 'on' }
      const isOwn = isBranch(to) && before[to]![0] === from && !seen.has(to)
      seen.add(to)
      return isOwn ? { kind: 'steps', steps: sequenceOf([to]) } : { kind: 'to', id: next! }
    })
  }
  // What a step alone leads to, and joins of all that it leads to, come after it.
  const afterOf = (at: number) => (dominated.get(at) ?? []).filter((each) => !isBranch(each))
  const sequenceOf = (list: readonly number[]): Nested[] => {
    const sequence: Nested[] = []
    const waiting = [...list]
    for (let at = waiting.shift(); at !== undefined; at = waiting.shift()) {
      waiting.unshift(...afterOf(at))
      const { id } = nodes[at]!
      sequence.push({ id, paths: followsOf(at, pathsOf.get(id)!, waiting[0]) })
    }
    return sequence
  }
  const begin = afterOf(0)
  return {
    starts: followsOf(0, drawing.starts, begin[0]),
    steps: sequenceOf(begin),
    unreached: sequenceOf((dominated.get(none) ?? []).filter((at) => at !== 0)),
  }
}
