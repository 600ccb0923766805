import { type KeyboardEvent, useId, useState } from 'react'
import styles from './column-chart.module.css'
import type { Family } from './mark.tsx'
import { ticksFor } from './ticks.ts'

/** How a part of a column is filled: in the one ink of everything that is no outcome, or as its family. */
export type Fill = 'plain' | Family

export type Series = { readonly name: string; readonly fill: Fill }

/** A step of time: its label, and a count for each series. */
export type ChartColumn = { readonly key: string; readonly label: string; readonly counts: readonly number[] }

type ColumnChartProps = {
  label: string
  series: readonly Series[]
  columns: readonly ChartColumn[]
  format: (count: number) => string
  /** The counts are states, such as sizes, which have no sum: the last column is written below the chart until another one is chosen. */
  isState?: boolean
}

const heightPx = 160
/** Room above the highest line for its label. */
const topPx = 14
/** The widest column, in percent of the chart: a few of them would be blocks. */
const widestPercent = 8
/** The labels below the chart. So few columns have one each. */
const labelsMax = 3

/**
 * Counts over time as columns of stacked parts. Arrow keys go from column to column, and `t` shows the same as a table. What a column has
 * is written below the chart.
 */
export function ColumnChart({ label, series, columns, format, isState = false }: ColumnChartProps) {
  const [chosen, setChosen] = useState<number>()
  const [isTable, setTable] = useState(false)
  const id = useId()
  const sums = series.map((_, i) => columns.reduce((sum, { counts }) => sum + counts[i]!, 0))
  const resting = isState ? columns.at(-1) : undefined
  const shown = chosen === undefined ? resting : columns[Math.min(chosen, columns.length - 1)]
  const onKeyDown = (event: KeyboardEvent) => {
    const last = columns.length - 1
    const moves: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => setChosen(Math.max((chosen ?? last + 1) - 1, 0)),
      ArrowRight: () => setChosen(Math.min((chosen ?? -1) + 1, last)),
      Home: () => setChosen(0),
      End: () => setChosen(last),
      t: () => setTable(!isTable),
    }
    if (event.ctrlKey || event.metaKey || event.altKey || !Object.hasOwn(moves, event.key)) return
    event.preventDefault()
    moves[event.key]!()
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys go from column to column.
    <figure className={styles.chart} aria-label={label} tabIndex={0} onKeyDown={onKeyDown}>
      {isTable ? (
        <ChartTable label={label} series={series} columns={columns} format={format} />
      ) : (
        <Drawing series={series} columns={columns} format={format} chosen={chosen} onChoose={setChosen} id={id} />
      )}
      <div className={styles.foot}>
        <ul className={styles.legend} aria-live="polite">
          <li>{shown ? shown.label : 'All'}</li>
          {series.map(({ name, fill }, i) => (
            <li key={name}>
              <span className={`${styles.swatch} ${styles[fill]}`} />
              {name} <b>{format(shown ? shown.counts[i]! : sums[i]!)}</b>
            </li>
          ))}
        </ul>
        <button type="button" className={styles.toggle} onClick={() => setTable(!isTable)}>
          {isTable ? 'Chart' : 'Table'}
        </button>
      </div>
    </figure>
  )
}

type DrawingProps = Omit<ColumnChartProps, 'label' | 'isState'> & {
  chosen: number | undefined
  onChoose: (column: number | undefined) => void
  id: string
}

function Drawing({ series, columns, format, chosen, onChoose, id }: DrawingProps) {
  const largest = Math.max(...columns.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0)))
  const ticks = ticksFor(largest)
  const top = ticks.at(-1)!
  const y = (count: number) => topPx + (heightPx - topPx) * (1 - count / top)
  const width = 100 / columns.length
  const filled = Math.min(width, widestPercent)
  const isFew = columns.length <= labelsMax
  return (
    <>
      <svg
        className={styles.drawing}
        height={heightPx + 1}
        width="100%"
        aria-hidden
        onPointerMove={(event) => {
          const { left, width: all } = event.currentTarget.getBoundingClientRect()
          onChoose(Math.min(Math.floor(((event.clientX - left) / all) * columns.length), columns.length - 1))
        }}
        onPointerLeave={() => onChoose(undefined)}
      >
        <Hatching id={id} />
        {chosen !== undefined && (
          <rect
            className={styles.chosen}
            x={`${chosen * width}%`}
            width={`${width}%`}
            y={topPx}
            height={heightPx - topPx}
          />
        )}
        {ticks.map((tick) => (
          <line key={tick} className={styles.line} x1="0" x2="100%" y1={y(tick)} y2={y(tick)} />
        ))}
        {columns.map((column, i) => (
          <Column
            key={column.key}
            column={column}
            series={series}
            x={i * width + (width - filled) / 2}
            width={filled}
            y={y}
            id={id}
          />
        ))}
        {ticks.slice(1).map((tick) => (
          <text key={tick} className={styles.tick} x="0" y={y(tick) - 3}>
            {format(tick)}
          </text>
        ))}
      </svg>
      <div className={styles.times} aria-hidden data-few={isFew || undefined}>
        {(isFew ? columns : [columns[0]!, columns[Math.floor(columns.length / 2)]!, columns.at(-1)!]).map((column) => (
          <span key={column.key}>{column.label}</span>
        ))}
      </div>
    </>
  )
}

type ColumnProps = {
  column: ChartColumn
  series: readonly Series[]
  x: number
  width: number
  y: (count: number) => number
  id: string
}

function Column({ column: { counts }, series, x, width, y, id }: ColumnProps) {
  let below = 0
  return series.map(({ name, fill }, i) => {
    const from = below
    below += counts[i]!
    if (counts[i] === 0) return null
    return (
      <rect
        key={name}
        className={`${styles.part} ${styles[fill]}`}
        x={`${x}%`}
        width={`${width}%`}
        y={y(below)}
        // A rare outcome is still seen.
        height={Math.max(y(from) - y(below), 2)}
        {...(hatched.has(fill) && { style: { fill: `url(#${id}-${fill})` } })}
      />
    )
  })
}

const hatched: ReadonlySet<Fill> = new Set(['held', 'control', 'failed', 'uncertain'])

/** The fills of outcomes, so that colour is never the only sign. */
function Hatching({ id }: { id: string }) {
  const square = { width: 6, height: 6, patternUnits: 'userSpaceOnUse' }
  return (
    <defs>
      <pattern id={`${id}-held`} {...square} className={styles.held}>
        <path d="M-1 1l2-2M0 6l6-6M5 7l2-2" />
      </pattern>
      <pattern id={`${id}-control`} {...square} className={styles.control}>
        <circle cx="2" cy="2" r="1.2" />
      </pattern>
      <pattern id={`${id}-failed`} {...square} className={styles.failed}>
        <path d="M0 0l6 6M0 6l6-6" />
      </pattern>
      <pattern id={`${id}-uncertain`} {...square} className={styles.uncertain}>
        <path d="M2 0v6M5 0v6" />
      </pattern>
    </defs>
  )
}

function ChartTable({ label, series, columns, format }: Omit<ColumnChartProps, 'isState'>) {
  return (
    <div className={styles.scroll}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">Time</th>
            {series.map(({ name }) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {columns.toReversed().map((column) => (
            <tr key={column.key}>
              <th scope="row">{column.label}</th>
              {series.map(({ name }, i) => (
                <td key={name}>{format(column.counts[i]!)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
