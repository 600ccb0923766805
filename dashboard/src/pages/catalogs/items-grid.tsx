import { type KeyboardEvent, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { Button } from '../../ui/button.tsx'
import styles from './catalog-page.module.css'
import { CellEditor } from './cell-editor.tsx'
import { type CatalogItem, type Field, textOfValue } from './cell-value.ts'
import { moveBy, type Place, type Step } from './grid-moves.ts'

type ItemsGridProps = {
  catalog: string
  fields: readonly Field[]
  items: readonly CatalogItem[]
  /** Rows of another page while the next one is loaded. */
  dimmed: boolean
  /** Why cells cannot be edited; undefined when they can. */
  mayEdit: string | undefined
  onDelete: (item: CatalogItem) => void
}

/**
 * The items as a grid. Arrow keys go from cell to cell; Enter, F2 and a double click edit a cell. Enter saves and goes down, Tab saves and
 * goes right, Escape leaves the value as it was. Only one cell of the grid is in the order of Tab.
 */
export function ItemsGrid({ catalog, fields, items, dimmed, mayEdit, onDelete }: ItemsGridProps) {
  const table = useRef<HTMLTableElement>(null)
  const [place, setPlace] = useState<Place>({ row: 0, column: 0 })
  const [edited, setEdited] = useState<Edited>()
  const size = { rows: items.length, columns: fields.length }
  const at = moveBy(place, { rows: 0, columns: 0 }, size)
  const go = (next: Place) => {
    // The cell that was edited is a plain one only after it is drawn, and the next key may follow at once.
    flushSync(() => setPlace(next))
    table.current?.querySelector<HTMLElement>(`[data-cell="${next.row} ${next.column}"]`)?.focus()
  }
  const edit = ({ row, column }: Place) => {
    const [item, field] = [items[row], fields[column]]
    // A cell that is still edited has a value that the server has not taken.
    if (item === undefined || field === undefined || field.name === 'id' || edited !== undefined) return
    if (mayEdit === undefined && !dimmed) setEdited({ id: item.id, field: field.name })
  }
  const leave = (from: Place, step: Step | undefined) => {
    setEdited(undefined)
    if (step !== undefined) go(moveBy(from, step, size))
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (!(event.target as Element).matches('[data-cell]')) return
    const step = steps[event.key]
    if (step === undefined && event.key !== 'Enter' && event.key !== 'F2') return
    event.preventDefault()
    if (step === undefined) edit(at)
    else go(moveBy(at, step, size))
  }
  const shared = { catalog, fields, mayEdit, onDelete, onPlace: setPlace, onEdit: edit, onLeave: leave }
  return (
    <>
      <div className={styles.scroll}>
        <table
          ref={table}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table whose cells are edited is a grid.
          role="grid"
          className={styles.grid}
          aria-label="Items"
          aria-busy={dimmed}
          onKeyDown={onKeyDown}
        >
          <Heads fields={fields} />
          <tbody>
            {items.map((item, row) => (
              <GridRow
                key={item.id}
                {...shared}
                item={item}
                row={row}
                column={at.row === row ? at.column : undefined}
                edited={edited?.id === item.id ? edited.field : undefined}
              />
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.keys}>{mayEdit ?? hint}</p>
    </>
  )
}

function Heads({ fields }: Pick<ItemsGridProps, 'fields'>) {
  return (
    <thead>
      <tr>
        {fields.map(({ name, type }) => (
          <th key={name} scope="col" title={type}>
            {name}
          </th>
        ))}
        <th scope="col">Actions</th>
      </tr>
    </thead>
  )
}

const hint =
  'Enter or a double click edits a cell. Enter saves it, Tab saves it and goes on, Shift Enter begins a line, Esc leaves it as it was.'

type Edited = { readonly id: string; readonly field: string }

type GridRowProps = Pick<ItemsGridProps, 'catalog' | 'fields' | 'mayEdit' | 'onDelete'> & {
  item: CatalogItem
  row: number
  /** The column of the cell that Tab reaches, when it is in this row. */
  column: number | undefined
  /** The field that is edited in this row. */
  edited: string | undefined
  onPlace: (place: Place) => void
  onEdit: (place: Place) => void
  onLeave: (from: Place, step: Step | undefined) => void
}

function GridRow({ item, row, column, edited, ...grid }: GridRowProps) {
  const { catalog, fields, mayEdit, onDelete, onPlace, onEdit, onLeave } = grid
  return (
    <tr>
      {fields.map((field, i) => {
        const here = { row, column: i }
        if (field.name === edited) {
          return (
            <td key={field.name} className={styles.editing}>
              <CellEditor catalog={catalog} item={item} field={field} onLeave={(step) => onLeave(here, step)} />
            </td>
          )
        }
        const text = field.name === 'id' ? item.id : textOfValue(item.fields[field.name])
        return (
          <td
            key={field.name}
            dir="auto"
            data-cell={`${row} ${i}`}
            tabIndex={i === column ? 0 : -1}
            title={text}
            onFocus={() => onPlace(here)}
            onDoubleClick={() => onEdit(here)}
          >
            {text}
          </td>
        )
      })}
      <td>
        <Button
          look="quiet"
          aria-label={`Delete the item ${item.id}`}
          disabledReason={mayEdit}
          onClick={() => onDelete(item)}
        >
          Delete
        </Button>
      </td>
    </tr>
  )
}

const steps: Readonly<Record<string, Step>> = {
  ArrowUp: { rows: -1, columns: 0 },
  ArrowDown: { rows: 1, columns: 0 },
  ArrowLeft: { rows: 0, columns: -1 },
  ArrowRight: { rows: 0, columns: 1 },
}
