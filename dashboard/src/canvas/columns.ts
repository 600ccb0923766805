import { type Layers, none } from './layers.ts'

/** Something that takes room in a row: a node, or a line that goes through the row on its way down. */
export type Item = {
  readonly node: number
  readonly width: number
  readonly row: number
  /** The middle. */
  x: number
}

/** Where everything is, from side to side. */
export type Columns = {
  /** By node. */
  readonly boxes: readonly Item[]
  /** By node and way: the lines through the rows between the two nodes, from the top. */
  readonly lanes: ReadonlyMap<string, readonly Item[]>
  /** By row, from the left. */
  readonly rows: readonly (readonly Item[])[]
}

export const boxWidth = 240
export const endWidth = 96
const labelWidth = 144
const laneWidth = 24
const gap = 24

/** What wants a place in a row, and where it would be if it were alone. */
type Wish = { readonly item: Item; readonly rank: number; readonly wanted: () => number }

export function laneKey(from: number, way: number): string {
  return `${from} ${way}`
}

/**
 * Gives everything its place from side to side, row by row from the top: paths in their order, a join below the step that all its ways come
 * from. Nothing depends on what is below. Pure.
 */
export function columnsOf(layers: Layers): Columns {
  const { nodes, rows } = layers
  const boxes = nodes.map(({ kind }, node): Item => {
    return { node, row: rows[node]!, width: kind === 'end' ? endWidth : boxWidth, x: 0 }
  })
  const lanes = lanesOf(layers)
  const ranks = ranksOf(layers, lanes)
  const offsets = offsetsOf(layers, boxes, lanes)
  const wishes: Wish[][] = []
  const add = (wish: Wish) => {
    wishes[wish.item.row] ??= []
    wishes[wish.item.row]!.push(wish)
  }
  for (const [node, item] of boxes.entries()) {
    add({ item, rank: ranks.get(String(node))!, wanted: () => wantedOf(node, layers, boxes, offsets) })
  }
  for (const [key, items] of lanes) {
    const rank = ranks.get(key)!
    for (const [i, item] of items.entries()) {
      const wanted = () => (i === 0 ? boxes[item.node]!.x + offsets.get(key)! : items[i - 1]!.x)
      add({ item, rank, wanted })
    }
  }
  const placed = Array.from(wishes, (row = []) => row.toSorted((one, other) => one.rank - other.rank))
  for (const row of placed) settle(row)
  return { boxes, lanes, rows: placed.map((row) => row.map(({ item }) => item)) }
}

function lanesOf({ nodes, rows }: Layers): Map<string, Item[]> {
  const lanes = new Map<string, Item[]>()
  for (const [from, { ways, isSplit }] of nodes.entries()) {
    for (const [i, { to, isReturn }] of ways.entries()) {
      const between = isReturn ? 0 : rows[to]! - rows[from]! - 1
      if (between <= 0) continue
      const items = Array.from({ length: between }, (_, down): Item => {
        const width = down === 0 && isSplit ? labelWidth : laneWidth
        return { node: from, row: rows[from]! + 1 + down, width, x: 0 }
      })
      lanes.set(laneKey(from, i), items)
    }
  }
  return lanes
}

/**
 * Returns the order of everything from the left, by node or by the key of a lane. What a step dominates stays together; within that, paths
 * are in their order, and a join is in the middle of those that lead to it.
 */
function ranksOf({ nodes, before, dominators, order }: Layers, lanes: ReadonlyMap<string, unknown>) {
  type Child = { readonly key: string; readonly node: number; readonly at: number; readonly tie: number }
  const children = new Map<number, Child[]>()
  const add = (parent: number, child: Child) => {
    const list = children.get(parent)
    if (list) list.push(child)
    else children.set(parent, [child])
  }
  const places = nodes.map(() => 0)
  const firsts = [...nodes.keys()].filter((node) => before[node]!.length === 0)
  const placeOf = (from: number, parent: number, to: number): number => {
    if (from === parent) return nodes[from]!.ways.find((way) => way.to === to)!.paths[0]!
    let at = from
    while (dominators[at] !== parent) at = dominators[at]!
    return places[at]!
  }
  for (const node of order) {
    const parent = dominators[node]!
    const from = before[node]!
    const sum = from.reduce((total, each) => total + placeOf(each, parent, node), 0)
    // Numbered by their order: an index would change when a step is added.
    places[node] = from.length === 0 ? firsts.indexOf(node) : sum / from.length
    add(parent, { key: String(node), node, at: places[node]!, tie: node })
    for (const [i, { to, paths }] of nodes[node]!.ways.entries()) {
      const key = laneKey(node, i)
      if (lanes.has(key)) add(node, { key, node: none, at: paths[0]!, tie: to })
    }
  }
  const ranks = new Map<string, number>()
  const number = (parent: number) => {
    const list = children.get(parent) ?? []
    for (const child of list.toSorted((one, other) => one.at - other.at || one.tie - other.tie)) {
      ranks.set(child.key, ranks.size)
      if (child.node !== none) number(child.node)
    }
  }
  number(none)
  return ranks
}

/** Returns how far from the middle of its step each way out begins, by the key of a lane. Ways into a join have no place of their own. */
function offsetsOf({ nodes, before }: Layers, boxes: readonly Item[], lanes: ReadonlyMap<string, readonly Item[]>) {
  const offsets = new Map<string, number>()
  for (const [from, { ways }] of nodes.entries()) {
    const own = ways.flatMap(({ to, isReturn }, i) => {
      const key = laneKey(from, i)
      if (isReturn || (before[to]!.length > 1 && !lanes.has(key))) return []
      return [{ key, width: (lanes.get(key)?.[0] ?? boxes[to]!).width }]
    })
    const all = own.reduce((sum, { width }) => sum + width + gap, -gap)
    let left = -all / 2
    for (const { key, width } of own) {
      offsets.set(key, left + width / 2)
      left += width + gap
    }
  }
  return offsets
}

function wantedOf(
  node: number,
  { nodes, before, dominators }: Layers,
  boxes: readonly Item[],
  offsets: ReadonlyMap<string, number>,
): number {
  const [from, more] = before[node]!
  if (from === undefined) return 0
  if (more === undefined) {
    const way = nodes[from]!.ways.findIndex(({ to }) => to === node)
    return boxes[from]!.x + (offsets.get(laneKey(from, way)) ?? 0)
  }
  const dominator = dominators[node]!
  return dominator === none ? 0 : boxes[dominator]!.x
}

/**
 * Places the items of a row, which are in their order, as near as possible to where they want to be without touching. Neighbours that push
 * each other share the way (isotonic regression).
 */
function settle(row: readonly Wish[]): void {
  const starts: number[] = []
  const blocks: { sum: number; count: number }[] = []
  let start = 0
  for (const [i, { item, wanted }] of row.entries()) {
    if (i > 0) start += (row[i - 1]!.item.width + item.width) / 2 + gap
    starts.push(start)
    let block = { sum: wanted() - start, count: 1 }
    for (let last = blocks.at(-1); last && last.sum / last.count >= block.sum / block.count; last = blocks.at(-1)) {
      block = { sum: last.sum + block.sum, count: last.count + block.count }
      blocks.pop()
    }
    blocks.push(block)
  }
  let i = 0
  // Without the last part, it could be -0.
  for (const { sum, count } of blocks) {
    for (let n = 0; n < count; n++, i++) row[i]!.item.x = Math.round(sum / count + starts[i]!) || 0
  }
}
