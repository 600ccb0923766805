import { boxWidth, columnsOf, endWidth } from './columns.ts'
import { type Drawing, layersOf, type Node, type NodeKind } from './layers.ts'
import { type Line as DrawnLine, linesOf, rowHeight, topOf } from './lines.ts'

export type { Drawing } from './layers.ts'
export type { Point } from './lines.ts'

/** A box of the picture. `column`: how many boxes are to the left of it in its row. */
export type Box = {
  readonly key: string
  readonly kind: NodeKind
  /** The id of the step; of an end, that of the step before. Empty for the start. */
  readonly id: string
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
  readonly row: number
  readonly column: number
}

/** A line between two boxes, by their keys. `paths`: the places of its paths in the list of the step, or of the starts. */
export type Line = Omit<DrawnLine, 'from' | 'to'> & { readonly from: string; readonly to: string }

export type Arrangement = { readonly boxes: readonly Box[]; readonly lines: readonly Line[] }

const endHeight = 28

export const startKey = 'start'
export const stepKey = (id: string) => `step ${id}`

function keyOf({ kind, id }: Node): string {
  return kind === 'start' ? startKey : `${kind} ${id}`
}

/**
 * Arranges the steps of a canvas: rows from the top, paths side by side in their order, a join below all steps that lead to it, ways back
 * at the side, and steps that are not reached below everything. A step that is added after another one moves nothing above it. Pure.
 */
export function arrange(drawing: Drawing): Arrangement {
  const layers = layersOf(drawing)
  const columns = columnsOf(layers)
  const { nodes } = layers
  const heights = nodes.map(({ kind }) => (kind === 'end' ? endHeight : rowHeight))
  const lines = linesOf(layers, columns, heights)
  const boxes = columns.rows.flatMap((row, at) => {
    const own = row.filter((item) => columns.boxes[item.node] === item)
    return own.map(({ node, x }, column): Box => {
      const { kind, id } = nodes[node]!
      const width = kind === 'end' ? endWidth : boxWidth
      const place = { x: x - width / 2, y: topOf(at), width, height: heights[node]! }
      return { key: keyOf(nodes[node]!), kind, id, ...place, row: at, column }
    })
  })
  return {
    boxes,
    lines: lines.map((line) => ({ ...line, from: keyOf(nodes[line.from]!), to: keyOf(nodes[line.to]!) })),
  }
}
