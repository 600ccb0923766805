import { type ComponentProps, type ReactNode, useId, useState } from 'react'
import styles from './inline-field.module.css'

export type Option = { readonly value: string; readonly label: string }
export type OptionGroup = { readonly label: string; readonly options: readonly Option[] }

type InlineProps = {
  /** The name of the field for screen readers, and its tooltip. In a line of fields it is not shown. */
  label: string
  /** What is wrong with the value. */
  problem?: string | undefined
}

type InlineTextProps = Omit<ComponentProps<'input'>, 'onChange' | 'id' | 'list' | 'value'> &
  InlineProps & {
    value: string
    /** Values that are offered while one types. */
    suggestions?: readonly Option[]
    /** Below the field: what is known about the value. */
    note?: ReactNode
    onChange: (value: string) => void
  }

/** A field for a word or two in a line of fields. */
export function InlineText({ label, problem, suggestions, note, onChange, className, ...rest }: InlineTextProps) {
  const id = useId()
  return (
    <Cell id={id} problem={problem} note={note} className={className}>
      <input
        autoComplete="off"
        dir="auto"
        spellCheck={false}
        title={label}
        {...rest}
        {...described(id, label, problem, note)}
        className={styles.input}
        list={suggestions ? `${id}-list` : undefined}
        onChange={(event) => onChange(event.target.value)}
      />
      {suggestions && (
        <datalist id={`${id}-list`}>
          {suggestions.map((each) => (
            <option key={each.value} value={each.value} label={each.label === each.value ? undefined : each.label} />
          ))}
        </datalist>
      )}
    </Cell>
  )
}

type InlineNumberProps = InlineProps & {
  value: unknown
  read: (text: string) => number | undefined
  /** Called with null when what is typed is no number, which is also so for an empty text. */
  onChange: (value: number | null, text: string) => void
  className?: string | undefined
  placeholder?: string
}

/** A field for a number. What is typed stays as it is typed, also while it is not a number yet. */
export function InlineNumber({ value, read, onChange, ...rest }: InlineNumberProps) {
  const [typed, setTyped] = useState('')
  const isTyped = (read(typed) ?? null) === (value ?? null)
  return (
    <InlineText
      {...rest}
      inputMode="decimal"
      value={isTyped ? typed : String(value ?? '')}
      onChange={(text) => {
        setTyped(text)
        onChange(read(text) ?? null, text)
      }}
    />
  )
}

type InlineSelectProps = InlineProps & {
  value: string
  options?: readonly Option[]
  groups?: readonly OptionGroup[]
  note?: ReactNode
  className?: string | undefined
  onChange: (value: string) => void
}

/** A field to choose from a list in a line of fields. */
export function InlineSelect(props: InlineSelectProps) {
  const { label, problem, value, options = [], groups = [], note, className, onChange } = props
  const id = useId()
  return (
    <Cell id={id} problem={problem} note={note} className={className}>
      <select
        title={label}
        {...described(id, label, problem, note)}
        className={styles.input}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        <Options of={options} />
        {groups.map((group) =>
          group.label === '' ? (
            <Options key={group.label} of={group.options} />
          ) : (
            <optgroup key={group.label} label={group.label}>
              <Options of={group.options} />
            </optgroup>
          ),
        )}
      </select>
    </Cell>
  )
}

function Options({ of }: { of: readonly Option[] }) {
  return of.map(({ value, label }) => (
    <option key={value} value={value}>
      {label}
    </option>
  ))
}

type CellProps = Omit<InlineProps, 'label'> & {
  id: string
  note?: ReactNode
  className?: string | undefined
  children: ReactNode
}

function Cell({ id, problem, note, className, children }: CellProps) {
  return (
    <span
      className={className === undefined ? styles.cell : `${styles.cell} ${className}`}
      data-wrong={problem !== undefined || undefined}
    >
      {children}
      {note && (
        <span id={`${id}-note`} className={styles.note}>
          {note}
        </span>
      )}
      {problem !== undefined && (
        <span id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </span>
  )
}

function described(id: string, label: string, problem: string | undefined, note: ReactNode) {
  const parts = [...(note ? [`${id}-note`] : []), ...(problem === undefined ? [] : [`${id}-problem`])]
  return {
    id,
    'aria-label': label,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': parts.length === 0 ? undefined : parts.join(' '),
  }
}
