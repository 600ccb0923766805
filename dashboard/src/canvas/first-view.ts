import type { Box } from './arrange.ts'

/** Where the picture is and how large: a point of it is drawn at itself times `zoom` plus `x` and `y`. */
export type View = { readonly x: number; readonly y: number; readonly zoom: number }
export type Size = { readonly width: number; readonly height: number }

const margin = 24
const zoomMin = 0.85

/** Returns what is shown first: the whole picture where it fits, else its beginning, or the step that is open. Pure. */
export function firstView(boxes: readonly Box[], { width, height }: Size, chosen: string | undefined): View {
  const left = boxes.reduce((least, { x }) => Math.min(least, x), 0)
  const right = boxes.reduce((most, box) => Math.max(most, box.x + box.width), 0)
  const bottom = boxes.reduce((most, box) => Math.max(most, box.y + box.height), 0)
  const fits = Math.min(width / (right - left + 2 * margin), height / (bottom + 2 * margin))
  const zoom = Math.min(Math.max(fits, zoomMin), 1)
  const open = boxes.find(({ kind, id }) => kind === 'step' && id === chosen)
  const middleOf = (box: Box) => box.x + box.width / 2
  const isWide = (right - left) * zoom > width
  const middle = isWide ? middleOf(open ?? boxes.find(({ kind }) => kind === 'start')!) : (left + right) / 2
  const isLow = open !== undefined && (open.y + open.height) * zoom + margin > height
  const y = isLow ? height / 2 - (open.y + open.height / 2) * zoom : margin
  return { x: width / 2 - middle * zoom, y, zoom }
}
