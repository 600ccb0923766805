import { memo, useMemo } from 'react'
import { formatCount } from '../words/numbers.ts'
import { type Arrangement, type Box, type Line, startKey } from './arrange.ts'
import styles from './picture.module.css'
import { countTo, type Outline, type Standing } from './words.ts'

/** The ways between the steps. They are drawn once: only their counts change. */
export const Lines = memo(function Lines({
  picture,
  outline,
  standing,
}: {
  picture: Arrangement
  outline: Outline
  standing: Standing | undefined
}) {
  const boxes = useMemo(() => new Map(picture.boxes.map((box) => [box.key, box])), [picture])
  const paths = useMemo(() => new Map(outline.steps.map((step) => [step.id, step.paths])), [outline])
  return (
    <svg className={styles.lines} aria-hidden="true">
      <defs>
        <marker id="canvas-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">
          <path className={styles.tip} d="M0 0L8 4L0 8Z" />
        </marker>
      </defs>
      {picture.lines.map((line) => {
        const source = boxes.get(line.from)!
        const own = (line.from === startKey ? outline.starts : (paths.get(source.id) ?? [])) as Outline['starts']
        return (
          <g key={`${line.from} ${line.to}`}>
            <path
              className={line.isReturn ? styles.back : undefined}
              d={courseOf(line)}
              markerEnd="url(#canvas-arrow)"
            />
            <Label line={line} names={namesOf(line, own)} count={countOn(line, own, boxes, standing)} />
          </g>
        )
      })}
    </svg>
  )
})

const labelCharactersMax = 18

function Label({ line, names, count }: { line: Line; names: string; count: number | undefined }) {
  const { text, isCut } = labelOf(names, count)
  return (
    <text x={line.label.x} y={line.label.y} direction="ltr">
      {isCut && <title>{names}</title>}
      {text}
    </text>
  )
}

/** Returns the words beside a line: the names of its paths, which are cut, and how many took it. */
export function labelOf(names: string, count: number | undefined): { readonly text: string; readonly isCut: boolean } {
  const isCut = names.length > labelCharactersMax
  const shown = isCut ? `${names.slice(0, labelCharactersMax - 1).trimEnd()}…` : names
  return {
    text: [...(shown === '' ? [] : [shown]), ...(count === undefined ? [] : [formatCount(count)])].join(' '),
    isCut,
  }
}

/** Returns the paths of the step, or of the entry, from which a line leads. */
export function pathsBefore(line: Line, outline: Outline, source: Box): Outline['starts'] {
  if (line.from === startKey) return outline.starts
  return outline.steps.find(({ id }) => id === source.id)?.paths ?? []
}

export function namesOf({ paths }: Line, own: Outline['starts']): string {
  return own.length < 2 ? '' : paths.map((at) => own[at]!.name).join(', ')
}

export function countOn(
  line: Line,
  own: Outline['starts'],
  boxes: ReadonlyMap<string, Box>,
  standing: Standing | undefined,
): number | undefined {
  const next = own[line.paths[0]!]?.next ?? null
  if (line.from !== startKey) return countTo(standing, boxes.get(line.from)!.id, next)
  return standing && (standing.starts[next ?? ''] ?? 0)
}

const corner = 6

/** Returns a line as a path with round corners. */
function courseOf({ points }: Line): string {
  const [first, ...rest] = points
  const parts = rest.map((point, i) => {
    const after = rest[i + 1]
    if (!after) return `L${point.x} ${point.y}`
    const before = points[i]!
    const cut = (from: { x: number; y: number }) => {
      const length = Math.hypot(point.x - from.x, point.y - from.y)
      const share = length === 0 ? 0 : Math.min(corner, length / 2) / length
      return `${point.x + (from.x - point.x) * share} ${point.y + (from.y - point.y) * share}`
    }
    return `L${cut(before)}Q${point.x} ${point.y} ${cut(after)}`
  })
  return `M${first!.x} ${first!.y}${parts.join('')}`
}
