import { arrange } from '../../canvas/arrange.ts'
import type { Outline } from '../../canvas/words.ts'
import styles from './editor.module.css'

const margin = 24
const charactersMax = 18
/** A picture of few steps is not larger than this makes it. */
const widthMin = 640
const heightMin = 420

/** A canvas as a small picture: only to be looked at. */
export function SmallPicture({ outline }: { outline: Outline }) {
  const { boxes, lines } = arrange(outline)
  const names = new Map(outline.steps.map(({ id, name }) => [id, name]))
  const left = boxes.reduce((least, { x }) => Math.min(least, x), 0) - margin
  const right = boxes.reduce((most, { x, width }) => Math.max(most, x + width), 0) + margin
  const bottom = boxes.reduce((most, { y, height }) => Math.max(most, y + height), 0) + margin
  const bottomMin = Math.max(bottom, heightMin)
  const aside = Math.max((widthMin - (right - left)) / 2, 0)
  const labelled = [...names.values()].join(', ')
  return (
    <svg
      className={styles.small}
      viewBox={`${left - aside} ${-margin} ${right - left + 2 * aside} ${bottomMin + margin}`}
      role="img"
      aria-label={labelled === '' ? 'No steps yet' : `Steps: ${labelled}`}
    >
      {lines.map(({ from, to, points }) => (
        <path key={`${from} ${to}`} d={`M${points.map(({ x, y }) => `${x} ${y}`).join('L')}`} />
      ))}
      {boxes.map(({ key, kind, id, x, y, width, height }) => (
        <g key={key}>
          <rect x={x} y={y} width={width} height={height} rx={8} />
          {kind !== 'end' && (
            <text x={x + width / 2} y={y + height / 2} textAnchor="middle">
              {shortened(kind === 'start' ? 'Entry' : (names.get(id) ?? id))}
            </text>
          )}
        </g>
      ))}
    </svg>
  )
}

function shortened(name: string): string {
  return name.length > charactersMax ? `${name.slice(0, charactersMax - 1)}…` : name
}
