import { useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { CallError, sentenceIn } from '../../api/errors.ts'
import { patchAdminCatalogsIdItems } from '../../api/generated.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import styles from './catalog-page.module.css'
import { type CatalogItem, type Field, textOfValue, valueOfText } from './cell-value.ts'
import type { Step } from './grid-moves.ts'

type CellEditorProps = {
  catalog: string
  item: CatalogItem
  field: Field
  /** Called when the cell is a plain one again, with where the focus goes; undefined when it is elsewhere already. */
  onLeave: (step: Step | undefined) => void
}

/** Lines that are shown of a text with line breaks. A field of one line would remove them. */
const rowsMax = 6

const stay: Step = { rows: 0, columns: 0 }

/** A cell while it is edited. It stays one until the server has taken the value, and shows why it was refused. */
export function CellEditor({ catalog, item, field, onLeave }: CellEditorProps) {
  const { workspace } = useViewer()
  const queries = useQueryClient()
  const problemId = useId()
  const input = useRef<HTMLTextAreaElement>(null)
  const stored = textOfValue(item.fields[field.name])
  const [text, setText] = useState(stored)
  useEffect(() => input.current?.select(), [])
  const write = useWrite({
    request: (value: unknown) => {
      const edit = { id: item.id, action: 'update' as const, tag: item.tag, fields: { [field.name]: value } }
      return patchAdminCatalogsIdItems(catalog, { items: [edit] }, { workspace: workspace.id })
    },
    said: () => 'Saved.',
  })
  const isStale = write.error instanceof CallError && write.error.status === 412
  const hasLeft = useRef(false)
  const leave = (step: Step | undefined) => {
    hasLeft.current = true
    onLeave(step)
  }
  const save = async (step: Step | undefined) => {
    // A cell that is taken away loses the focus once more.
    if (write.isPending || hasLeft.current) return
    if (text === stored && !write.isError) return leave(step)
    try {
      await write.mutateAsync(valueOfText(field.type, text))
      leave(step)
    } catch {
      // The sentence stands below the cell. What others have written is read anew.
      await queries.invalidateQueries()
    }
  }
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation()
    if (event.key === 'Enter' && event.shiftKey) return
    const step = { Enter: { rows: 1, columns: 0 }, Tab: { rows: 0, columns: event.shiftKey ? -1 : 1 } }[event.key]
    if (event.key === 'Escape') leave(stay)
    if (step === undefined) return
    event.preventDefault()
    void save(step)
  }
  return (
    <>
      <textarea
        ref={input}
        rows={Math.min(text.split('\n').length, rowsMax)}
        className={styles.input}
        dir="auto"
        autoComplete="off"
        aria-label={`${field.name} of ${item.id}`}
        aria-invalid={write.isError || undefined}
        aria-describedby={write.isError ? problemId : undefined}
        aria-busy={write.isPending}
        readOnly={write.isPending}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => void save(undefined)}
      />
      {write.isError && (
        <span id={problemId} className={styles.problem} role="alert">
          {sentenceIn(write.error)}
          {isStale && ` It is now: ${stored === '' ? 'empty' : stored}`}
        </span>
      )}
    </>
  )
}
