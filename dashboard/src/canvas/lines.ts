import { type Columns, laneKey } from './columns.ts'
import type { Layers } from './layers.ts'

export type Point = { readonly x: number; readonly y: number }

/** A line from one node to another. */
export type Line = {
  readonly from: number
  readonly to: number
  /** Which paths of the first node take it. */
  readonly paths: readonly number[]
  readonly isReturn: boolean
  readonly points: readonly Point[]
  /** The middle of its name. */
  readonly label: Point
}

export const rowHeight = 88
const channelHeight = 72
/** Where the horizontal parts of lines run, from the top of the space between two rows. Below them is room for names. */
const tracksFrom = 10
const tracksTo = 34
const trackGapMax = 8
const sideGap = 28
const apart = 8
const labelAbove = 22

export const topOf = (row: number) => row * (rowHeight + channelHeight)

/** A horizontal part between two rows. Parts that begin at the same place share a track. */
type Part = { readonly row: number; readonly group: string; readonly fromX: number; readonly toX: number; y: number }

/** What one line consists of, from its first node on. `sideX`: where a return goes up. */
type Course = { readonly from: number; readonly way: number; readonly parts: Part[]; readonly sideX?: number }

/** Returns the lines of a picture. They run between the rows and through their own lanes, and ways back at the side. Pure. */
export function linesOf(layers: Layers, columns: Columns, heights: readonly number[]): Line[] {
  const { nodes, rows } = layers
  const courses: Course[] = []
  const sides = sidesOf(layers, columns)
  for (const [from, { ways }] of nodes.entries()) {
    for (const [way, { to, isReturn }] of ways.entries()) {
      const key = laneKey(from, way)
      const [x, toX] = [columns.boxes[from]!.x, columns.boxes[to]!.x]
      const sideX = sides.get(key)
      const part = (row: number, group: string, start: number, end: number): Part => {
        return { row, group, fromX: start, toX: end, y: 0 }
      }
      if (isReturn && sideX !== undefined) {
        const out = part(rows[from]!, `out ${key}`, x, sideX)
        courses.push({ from, way, sideX, parts: [out, part(rows[to]! - 1, `into ${to}`, toX, sideX)] })
        continue
      }
      const stops = [x, ...(columns.lanes.get(key) ?? []).map((lane) => lane.x), toX]
      const parts = stops.slice(1).map((next, i) => {
        return part(rows[from]! + i, i === 0 ? `from ${from}` : `lane ${key}`, stops[i]!, next)
      })
      courses.push({ from, way, parts })
    }
  }
  setTracks(courses.flatMap(({ parts }) => parts))
  return courses.map((course) => lineOf(course, layers, columns, heights))
}

function lineOf(
  { from, way, parts, sideX }: Course,
  { nodes, rows }: Layers,
  columns: Columns,
  heights: readonly number[],
) {
  const { to, paths, isReturn } = nodes[from]!.ways[way]!
  const [source, target] = [columns.boxes[from]!, columns.boxes[to]!]
  const begin = { x: source.x, y: topOf(rows[from]!) + heights[from]! }
  const end = { x: target.x, y: topOf(rows[to]!) }
  const [first, last] = [parts[0]!, parts.at(-1)!]
  if (sideX !== undefined) {
    const up = [
      { x: first.fromX, y: first.y },
      { x: sideX, y: first.y },
      { x: sideX, y: last.y },
      { x: target.x, y: last.y },
    ]
    const label = { x: sideX, y: Math.round((first.y + last.y) / 2) }
    return { from, to, paths, isReturn, points: [begin, ...up, end], label }
  }
  const bends = parts.flatMap(({ fromX, toX, y }) => [
    { x: fromX, y },
    { x: toX, y },
  ])
  const points = straightened([begin, ...bends, end])
  // The name of the only way on is below its step: several lines may end at a join.
  const isNamed = nodes[from]!.isSplit
  const label = isNamed
    ? { x: first.toX, y: topOf(rows[from]! + 1) - labelAbove }
    : { x: begin.x, y: begin.y + labelAbove }
  return { from, to, paths, isReturn, points, label }
}

function straightened(points: readonly Point[]): Point[] {
  return points.filter((point, i) => {
    const [before, after] = [points[i - 1], points[i + 1]]
    if (!before || !after) return true
    return !(before.x === point.x && point.x === after.x) && !(before.y === point.y && point.y === after.y)
  })
}

/** Returns where each way back goes up, by the key of a lane: beside everything, short ones nearest, on the side that is nearer. */
function sidesOf({ nodes, rows }: Layers, { boxes, rows: placed }: Columns): Map<string, number> {
  const minX = placed.flat().reduce((least, { x, width }) => Math.min(least, x - width / 2), 0)
  const maxX = placed.flat().reduce((most, { x, width }) => Math.max(most, x + width / 2), 0)
  const returns = nodes.flatMap(({ ways }, from) =>
    ways.flatMap(({ to, isReturn }, way) => {
      if (!isReturn) return []
      const middle = boxes[from]!.x + boxes[to]!.x
      const isLeft = middle - 2 * minX < 2 * maxX - middle
      return [{ key: laneKey(from, way), top: rows[to]! - 1, bottom: rows[from]!, isLeft }]
    }),
  )
  const sides = new Map<string, number>()
  for (const isLeft of [true, false]) {
    const lanes: (typeof returns)[] = []
    const own = returns.filter((each) => each.isLeft === isLeft)
    for (const each of own.toSorted((one, other) => one.bottom - one.top - (other.bottom - other.top))) {
      const free = lanes.findIndex((lane) => lane.every(({ top, bottom }) => bottom < each.top || top > each.bottom))
      const at = free < 0 ? lanes.length : free
      lanes[at] = [...(lanes[at] ?? []), each]
      const away = (at + 1) * sideGap
      sides.set(each.key, isLeft ? minX - away : maxX + away)
    }
  }
  return sides
}

type Group = {
  readonly parts: Part[]
  readonly fromX: number
  readonly left: number
  readonly right: number
  track: number
}

/** Gives horizontal parts that would lie on one another different heights. */
function setTracks(parts: readonly Part[]): void {
  const byRow = new Map<number, Map<string, Part[]>>()
  for (const part of parts) {
    const groups = byRow.get(part.row) ?? new Map<string, Part[]>()
    byRow.set(part.row, groups)
    const own = groups.get(part.group)
    if (own) own.push(part)
    else groups.set(part.group, [part])
  }
  for (const [row, found] of byRow) {
    const groups = [...found.values()].map((own): Group => {
      const xs = own.flatMap(({ fromX, toX }) => [fromX, toX])
      return { parts: own, fromX: own[0]!.fromX, left: Math.min(...xs), right: Math.max(...xs), track: -1 }
    })
    const bent = groups.filter(({ left, right }) => left < right)
    const count = assignTracks(bent)
    const between = Math.min(trackGapMax, (tracksTo - tracksFrom) / Math.max(count - 1, 1))
    for (const { parts: own, track } of groups) {
      for (const part of own) part.y = topOf(row) + rowHeight + tracksFrom + Math.max(track, 0) * between
    }
  }
}

/**
 * Assigns tracks from the top: different ones where two groups are side by side. A group that ends below the beginning of another one runs
 * below it, so that they do not share a vertical part. Returns how many tracks there are.
 */
function assignTracks(groups: readonly Group[]): number {
  const beginning = new Map<number, Group[]>()
  for (const group of groups) beginning.set(group.fromX, [...(beginning.get(group.fromX) ?? []), group])
  const over = (group: Group) => {
    return group.parts.flatMap(({ toX }) => (toX === group.fromX ? [] : (beginning.get(toX) ?? [])))
  }
  const order = new Set<Group>()
  const open = new Set<Group>()
  const visit = (group: Group) => {
    if (open.has(group)) return
    open.add(group)
    for (const other of over(group)) visit(other)
    order.add(group)
  }
  for (const group of groups.toSorted((one, other) => one.left - other.left || one.right - other.right)) visit(group)
  const tracks: Group[][] = []
  for (const group of order) {
    // In a circle, one of them was not assigned yet, and has the track -1.
    let track = over(group).reduce((most, other) => Math.max(most, other.track + 1), 0)
    while (tracks[track]?.some(({ left, right }) => left < group.right + apart && group.left < right + apart)) track++
    group.track = track
    tracks[track] = [...(tracks[track] ?? []), group]
  }
  return tracks.length
}
