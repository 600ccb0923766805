import type { Box } from './arrange.ts'

/** Where the picture is and how large: a point of it is drawn at itself times `zoom` plus `x` and `y`. */
export type View = { readonly x: number; readonly y: number; readonly zoom: number }
export type Size = { readonly width: number; readonly height: number }

const margin = 24
const zoomMin = 0.85

/** Returns what is shown first: the whole picture where it fits, else its beginning, or the step that is open. Pure. */
export function firstView(boxes: readonly Box[], { width, height }: Size, chosen: string | undefined): View {
  const { left, right } = edgesOf(boxes)
  const zoom = Math.max(zoomOfWhole(boxes, { width, height }), zoomMin)
  const open = boxes.find(({ kind, id }) => kind === 'step' && id === chosen)
  const middleOf = (box: Box) => box.x + box.width / 2
  const isWide = (right - left) * zoom > width
  const middle = isWide ? middleOf(open ?? boxes.find(({ kind }) => kind === 'start')!) : (left + right) / 2
  const isLow = open !== undefined && (open.y + open.height) * zoom + margin > height
  const y = isLow ? height / 2 - (open.y + open.height / 2) * zoom : margin
  return { x: width / 2 - middle * zoom, y, zoom }
}

/** Returns the whole picture in the middle. Pure. */
export function wholeView(boxes: readonly Box[], size: Size): View {
  const { left, right, bottom } = edgesOf(boxes)
  const zoom = zoomOfWhole(boxes, size)
  return { x: size.width / 2 - ((left + right) / 2) * zoom, y: size.height / 2 - (bottom / 2) * zoom, zoom }
}

/** Returns the zoom at which the whole picture fits with a margin; at most 1. */
function zoomOfWhole(boxes: readonly Box[], { width, height }: Size): number {
  const { left, right, bottom } = edgesOf(boxes)
  return Math.min(width / (right - left + 2 * margin), height / (bottom + 2 * margin), 1)
}

/** The picture begins at the top with 0. */
function edgesOf(boxes: readonly Box[]): { readonly left: number; readonly right: number; readonly bottom: number } {
  return {
    left: boxes.reduce((least, { x }) => Math.min(least, x), 0),
    right: boxes.reduce((most, { x, width }) => Math.max(most, x + width), 0),
    bottom: boxes.reduce((most, { y, height }) => Math.max(most, y + height), 0),
  }
}

/** How far the picture may be moved past its edge, so that it cannot be lost. */
const pastEdge = 600
/** Below these zooms nobody can read what is in the boxes, and below the second one not even names. Drawing them takes most of a frame. */
const [namesBelow, shapesBelow] = [0.4, 0.15]

/** Returns how much of the boxes is drawn. Takes the state of the library. */
export function detailOf({ transform }: { readonly transform: readonly [number, number, number] }) {
  const zoom = transform[2]
  if (zoom < shapesBelow) return 'shapes'
  return zoom < namesBelow ? 'names' : 'all'
}

/** Returns the part of the plane in which the picture may be moved. Pure. */
export function extentOf({ boxes }: { readonly boxes: readonly Box[] }): [[number, number], [number, number]] {
  const { left, right, bottom } = edgesOf(boxes)
  return [
    [left - pastEdge, -pastEdge],
    [right + pastEdge, bottom + pastEdge],
  ]
}
