/** A path as the picture needs it. `next` null, or the id of no step: the end. */
export type DrawnPath = { readonly name: string; readonly next: string | null }
export type DrawnStep = { readonly id: string; readonly paths: readonly DrawnPath[] }

/** What to arrange. `starts`: the variants, which lead to the first steps. */
export type Drawing = { readonly starts: readonly DrawnPath[]; readonly steps: readonly DrawnStep[] }

export type NodeKind = 'start' | 'step' | 'end'

/** A way out of a node: the node it leads to, and which paths take it. */
export type Way = { readonly to: number; readonly paths: readonly number[]; isReturn: boolean }

/** A box of the picture before it has a place. */
export type Node = {
  readonly kind: NodeKind
  /** The id of the step; of an end, that of the step before. Empty for the start. */
  readonly id: string
  /** Whether its paths have names. */
  readonly isSplit: boolean
  readonly ways: Way[]
}

/** Which row each node is in, from what it comes, and what stands above it on every way to it. */
export type Layers = {
  readonly nodes: readonly Node[]
  readonly rows: readonly number[]
  /** The nodes that lead down to each, without returns. */
  readonly before: readonly (readonly number[])[]
  /** The lowest node that every way from the start goes through; `none` for the first of those that are not reached. */
  readonly dominators: readonly number[]
  /** All nodes, each after all that lead down to it. */
  readonly order: readonly number[]
}

export const none = -1
/** Rows between what is reached and what is not. */
const rowsApart = 2

/** Returns the rows of a drawing: a step is below all that lead to it, but for ways back. Steps that are not reached come last. Pure. */
export function layersOf(drawing: Drawing): Layers {
  const nodes = nodesOf(drawing)
  const { order, reached } = orderOf(nodes)
  const before: number[][] = nodes.map(() => [])
  for (const [from, { ways }] of nodes.entries()) for (const way of ways) if (!way.isReturn) before[way.to]!.push(from)
  const rows = nodes.map(() => 0)
  let nextRow = 0
  for (const [i, at] of order.entries()) {
    if (i === reached) nextRow += rowsApart
    if (before[at]!.length === 0 && at !== 0) rows[at] = nextRow
    for (const { to, isReturn } of nodes[at]!.ways) {
      // A named path into a join gets a row of its own for its name.
      const rowsDown = nodes[at]!.isSplit && before[to]!.length > 1 ? 2 : 1
      if (!isReturn) rows[to] = Math.max(rows[to]!, rows[at]! + rowsDown)
    }
    if (i < reached) nextRow = Math.max(nextRow, rows[at]!)
  }
  return { nodes, rows, before, dominators: dominatorsOf(order, before), order }
}

function nodesOf({ starts, steps }: Drawing): Node[] {
  const indexes = new Map<string, number>()
  const drawn = steps.filter(({ id }) => {
    if (indexes.has(id)) return false
    indexes.set(id, indexes.size + 1)
    return true
  })
  const ends: Node[] = []
  const waysOf = (id: string, paths: readonly DrawnPath[]): Way[] => {
    const ways = new Map<number, number[]>()
    const add = (to: number, path: number) => ways.set(to, [...(ways.get(to) ?? []), path])
    const end = drawn.length + 1 + ends.length
    for (const [i, { next }] of paths.entries()) {
      const to = next === null ? undefined : indexes.get(next)
      if (to !== undefined) add(to, i)
      else if (paths.length > 1) add(end, i)
    }
    if (ways.has(end)) ends.push({ kind: 'end', id, isSplit: false, ways: [] })
    return [...ways].map(([to, taken]) => ({ to, paths: taken, isReturn: false }))
  }
  const nodeOf = (kind: NodeKind, id: string, paths: readonly DrawnPath[]): Node => {
    return { kind, id, isSplit: paths.length > 1, ways: waysOf(id, paths) }
  }
  const all = [nodeOf('start', '', starts), ...drawn.map(({ id, paths }) => nodeOf('step', id, paths))]
  return [...all, ...ends]
}

/** Returns the nodes, each after all that lead down to it, and how many of them are reached. Marks the ways back. */
function orderOf(nodes: readonly Node[]): { readonly order: number[]; readonly reached: number } {
  const states = nodes.map(() => 'new' as 'new' | 'open' | 'done')
  const after: number[] = []
  const visit = (at: number) => {
    states[at] = 'open'
    for (const way of nodes[at]!.ways) {
      if (states[way.to] === 'open') way.isReturn = true
      else if (states[way.to] === 'new') visit(way.to)
    }
    states[at] = 'done'
    after.push(at)
  }
  visit(0)
  const order = after.splice(0).reverse()
  const reached = new Set(order)
  const rest = [...nodes.keys()].filter((at) => !reached.has(at))
  // Whatever leads from an unreached step to a reached one goes up.
  for (const at of rest) for (const way of nodes[at]!.ways) way.isReturn = reached.has(way.to)
  const entered = new Set(rest.flatMap((at) => nodes[at]!.ways.map(({ to }) => to)))
  const firsts = [...rest.filter((at) => !entered.has(at)), ...rest]
  for (const at of firsts) if (states[at] === 'new') visit(at)
  return { order: [...order, ...after.reverse()], reached: reached.size }
}

function dominatorsOf(order: readonly number[], before: readonly (readonly number[])[]): number[] {
  const dominators = before.map(() => none)
  const depths = before.map(() => 0)
  const depthOf = (at: number) => (at === none ? none : depths[at]!)
  const meet = (one: number, other: number): number => {
    let [a, b] = [one, other]
    while (a !== b) {
      if (depthOf(a) >= depthOf(b)) a = dominators[a]!
      else b = dominators[b]!
    }
    return a
  }
  for (const at of order) {
    if (before[at]!.length > 0) dominators[at] = before[at]!.reduce(meet)
    depths[at] = depthOf(dominators[at]!) + 1
  }
  return dominators
}
