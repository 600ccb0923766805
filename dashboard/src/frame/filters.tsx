import type { ReactNode } from 'react'
import { Button } from '../ui/button.tsx'
import { Select } from '../ui/field.tsx'
import styles from './list-page.module.css'
import { useTypedText } from './typed-text.ts'

type FiltersProps = { isFiltered: boolean; onDrop: () => void; children: ReactNode }

/** The filters of a list, and a button that drops them all. */
export function Filters({ isFiltered, onDrop, children }: FiltersProps) {
  return (
    <search className={styles.filters}>
      {children}
      {isFiltered && <Button onClick={onDrop}>Show all</Button>}
    </search>
  )
}

type SelectFilterProps = {
  label: string
  value: string | undefined
  options: readonly { readonly value: string; readonly label: string }[]
  onChange: (value: string | undefined) => void
}

/** A filter with a few values. Its first choice is all of them. */
export function SelectFilter({ label, value, options, onChange }: SelectFilterProps) {
  return (
    <div className={styles.filter}>
      <span aria-hidden>{label}</span>
      <Select
        label={label}
        value={value ?? ''}
        options={[{ value: '', label: 'all' }, ...options]}
        onChange={(next) => onChange(next === '' ? undefined : next)}
      />
    </div>
  )
}

type TextFilterProps = {
  label: string
  value: string | undefined
  placeholder?: string
  maxLength?: number | undefined
  onChange: (value: string | undefined) => void
}

/** A filter that is typed. It applies on Enter, and when the field is left. */
export function TextFilter({ label, value = '', placeholder, maxLength, onChange }: TextFilterProps) {
  const typed = useTypedText(value, onChange)
  return (
    <label className={styles.filter}>
      {label}
      <input
        className={styles.text}
        {...typed}
        placeholder={placeholder}
        maxLength={maxLength}
        autoComplete="off"
        spellCheck={false}
      />
    </label>
  )
}
