import type { KeyboardEvent, ReactNode } from 'react'
import styles from './table.module.css'

export type Column<Row> = {
  readonly head: ReactNode
  readonly cell: (row: Row) => ReactNode
  /** Share of the width, as CSS has it. */
  readonly width?: string
  readonly align?: 'end'
  /** Long texts take several lines, instead of being cut. */
  readonly wraps?: boolean
  /** Left out on narrow screens. */
  readonly wideOnly?: boolean
}

type TableProps<Row> = {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf: (row: Row) => string
  /** The key of the row whose panel is open. */
  chosen?: string | undefined
  /** Rows of an earlier answer while the next one is loaded. */
  dimmed?: boolean
  /** Called with the row that is clicked; absent where rows cannot be opened. */
  onChoose?: (row: Row) => void
}

/** A list of things. A click on a row chooses it; its first cell has a link that opens it. `j` and `k` go from row to row. */
export function Table<Row>({ caption, columns, rows, keyOf, chosen, dimmed, onChoose }: TableProps<Row>) {
  return (
    <table className={`${styles.table} ${dimmed ? styles.dimmed : ''}`} aria-label={caption} aria-busy={dimmed}>
      <colgroup>
        {columns.map(({ width }, i) => (
          <col key={keyOfColumn(columns, i)} width={width} />
        ))}
      </colgroup>
      <thead>
        <tr>
          {columns.map((column, i) => (
            <th key={keyOfColumn(columns, i)} scope="col" className={cellClass(column, styles.head)}>
              {column.head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr
            key={keyOf(row)}
            className={styles.row}
            data-row
            data-chosen={keyOf(row) === chosen || undefined}
            onClick={(event) => {
              if (!(event.target as Element).closest('a, button')) onChoose?.(row)
            }}
            onKeyDown={(event) => chooseBySpace(event, () => onChoose?.(row))}
          >
            {columns.map((column, i) => (
              <td key={keyOfColumn(columns, i)} className={cellClass(column, styles.cell)}>
                {column.cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function chooseBySpace(event: KeyboardEvent, choose: () => void): void {
  if (event.key !== ' ' || !(event.target as Element).matches('a')) return
  event.preventDefault()
  choose()
}

function keyOfColumn<Row>(columns: readonly Column<Row>[], i: number): string {
  return String(columns[i]?.width ?? '') + i
}

function cellClass<Row>({ align, wraps, wideOnly }: Column<Row>, base: string | undefined): string {
  const classes = [base, align === 'end' && styles.end, wraps && styles.wraps, wideOnly && styles.wideOnly]
  return classes.filter(Boolean).join(' ')
}
