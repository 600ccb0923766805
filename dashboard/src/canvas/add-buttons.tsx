import { Plus } from 'lucide-react'
import { memo, useMemo } from 'react'
import { type Arrangement, startKey, stepKey } from './arrange.ts'
import type { Place } from './edit/steps.ts'
import type { CanvasEdits } from './edits.ts'
import styles from './picture.module.css'
import { countOn, labelOf, namesOf, pathsBefore } from './picture-lines.tsx'
import type { Outline, Standing } from './words.ts'

type AddButtonsProps = {
  picture: Arrangement
  outline: Outline
  standing: Standing | undefined
  onAdd: CanvasEdits['add']
}

type Spot = {
  readonly key: string
  readonly x: number
  readonly y: number
  readonly label: string
  readonly places: readonly Place[]
}

/** A button on each way and at each open end, to put a step there. Keys have `a` instead, so Tab passes them by. */
export const AddButtons = memo(function AddButtons({ picture, outline, standing, onAdd }: AddButtonsProps) {
  const spots = useMemo(() => spotsOf(picture, outline, standing), [picture, outline, standing])
  return spots.map(({ key, x, y, label, places }) => (
    <button
      key={key}
      type="button"
      className={`${styles.add} nokey nopan`}
      style={{ left: x, top: y }}
      tabIndex={-1}
      aria-label={label}
      title={label}
      onClick={() => onAdd(places)}
    >
      <Plus size={14} aria-hidden />
    </button>
  ))
})

/** About how wide a letter of a label is. */
const letterWidth = 6.4
const besideLabel = 14
const belowBox = 16

function spotsOf(picture: Arrangement, outline: Outline, standing: Standing | undefined): Spot[] {
  const boxes = new Map(picture.boxes.map((box) => [box.key, box]))
  const names = new Map(outline.steps.map(({ id, name }) => [id, name]))
  const onLines = picture.lines.map((line): Spot => {
    const source = boxes.get(line.from)!
    const from = line.from === startKey ? undefined : source.id
    const own = pathsBefore(line, outline, source)
    const { text } = labelOf(namesOf(line, own), countOn(line, own, boxes, standing))
    const aside = text === '' ? 0 : (text.length * letterWidth) / 2 + besideLabel
    const label = labelFor(from === undefined ? undefined : names.get(from), namesOf(line, own))
    const places = line.paths.map((at) => ({ from, at }))
    return { key: `${line.from} ${line.to}`, x: line.label.x + aside, y: line.label.y, label, places }
  })
  const openOnes = [
    ...(outline.starts.length === 1 ? [{ key: startKey, from: undefined, paths: outline.starts }] : []),
    ...outline.steps.map(({ id, paths }) => ({ key: stepKey(id), from: id, paths })),
  ]
  const atEnds = openOnes.flatMap(({ key, from, paths }): Spot[] => {
    const box = boxes.get(key)
    const [only] = paths
    const isOpen = paths.length === 1 && only !== undefined && (only.next === null || !names.has(only.next))
    if (!box || !isOpen) return []
    const label = labelFor(from === undefined ? undefined : names.get(from), '')
    return [{ key, x: box.x + box.width / 2, y: box.y + box.height + belowBox, label, places: [{ from, at: 0 }] }]
  })
  return [...onLines, ...atEnds]
}

function labelFor(step: string | undefined, path: string): string {
  return `Add a step after ${step === undefined ? 'the entry' : `"${step}"`}${path === '' ? '' : `, on ${path}`}`
}
