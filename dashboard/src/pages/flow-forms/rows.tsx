import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { formatPath, type Path, withInserted } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { listAt, withMember } from './members.ts'

type RowsProps = {
  /** What one of them is called, such as `header`: rows are found as `Header 1`. */
  name: string
  count: number
  /** The text of the button that adds one. */
  add: string
  /** Why none can be added. */
  addReason?: string | undefined
  /** What is wrong with the list, and with none of its rows. */
  problem: string | undefined
  /** Each row is one line of inputs, without a title. */
  inline?: boolean
  /** The path of a row, to which a mistake leads. */
  pathOf?: (i: number) => Path
  onAdd: () => void
  onRemove: (i: number) => void
  children: (i: number) => ReactNode
}

/** The rows of a list, each with a button that removes it, and a button that adds one. */
export function Rows({ name, count, add, addReason, problem, inline, pathOf, onAdd, onRemove, children }: RowsProps) {
  const indexes = Array.from({ length: count }, (_, i) => i)
  const title = `${name[0]!.toUpperCase()}${name.slice(1)}`
  const remove = (i: number) => (
    <IconButton className={styles.end} label={`Remove ${name} ${i + 1}`} onClick={() => onRemove(i)}>
      <X size={16} aria-hidden />
    </IconButton>
  )
  return (
    <>
      {indexes.map((i) =>
        inline ? (
          <div key={i} className={styles.line}>
            {children(i)}
            {remove(i)}
          </div>
        ) : (
          <fieldset
            key={i}
            className={`${styles.group} ${styles.item}`}
            aria-label={`${title} ${i + 1}`}
            data-path={pathOf && formatPath(pathOf(i))}
          >
            <div className={styles.head}>
              <strong>{`${title} ${i + 1}`}</strong>
              {remove(i)}
            </div>
            {children(i)}
          </fieldset>
        ),
      )}
      <Problem text={problem} />
      <div>
        <Button look="quiet" disabledReason={addReason} onClick={onAdd}>
          <Plus size={16} aria-hidden />
          {add}
        </Button>
      </div>
    </>
  )
}

type ListRowsProps = Pick<RowsProps, 'name' | 'add'> & {
  path: Path
  /** What a new row is. */
  begin: unknown
  /** How many there can be. */
  max?: number | undefined
  children: (at: Path, i: number) => ReactNode
}

/** The rows of the list at a path. A list without rows is left out. */
export function ListRows({ path, begin, max, children, ...rest }: ListRowsProps) {
  const { edits } = useFlowForm()
  const { problemBeside } = useField(path)
  const entries = listAt(edits.document, path)
  const pathOf = (i: number) => [...path, i]
  return (
    <Rows
      {...rest}
      count={entries.length}
      pathOf={pathOf}
      problem={problemBeside(entries.map((_, i) => pathOf(i)))}
      addReason={max === undefined || entries.length < max ? undefined : `There can be at most ${max}.`}
      onAdd={() => edits.change((document) => withInserted(document, path, entries.length, begin))}
      onRemove={(i) => {
        const rest = entries.toSpliced(i, 1)
        edits.change((document) => withMember(document, path, rest.length === 0 ? undefined : rest))
      }}
    >
      {(i) => children(pathOf(i), i)}
    </Rows>
  )
}

/** What is wrong, in red and read out. */
export function Problem({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <p className={styles.problem} role="alert">
      {text}
    </p>
  )
}
