import { Search } from 'lucide-react'
import { type ComponentProps, useId } from 'react'
import styles from './field.module.css'

type SearchFieldProps = Omit<ComponentProps<'input'>, 'type'> & { readonly label: string }

/** A field to search with. The key `/` goes to the first one of a page. */
export function SearchField({ label, className, ...rest }: SearchFieldProps) {
  return (
    <div className={className === undefined ? styles.search : `${styles.search} ${className}`}>
      <Search size={16} aria-hidden />
      <input
        {...rest}
        className={styles.input}
        type="text"
        inputMode="search"
        enterKeyHint="search"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        aria-label={label}
        data-search
      />
    </div>
  )
}

type SelectProps = {
  label: string
  /** Shows the label before the field. Without it, it is for screen readers only. */
  shown?: boolean
  value: string
  options: readonly { readonly value: string; readonly label: string }[]
  onChange: (value: string) => void
}

export function Select({ label, shown, value, options, onChange }: SelectProps) {
  const id = useId()
  return (
    <span>
      {shown && <label htmlFor={id}>{label} </label>}
      <select
        id={id}
        className={styles.select}
        aria-label={shown ? undefined : label}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </span>
  )
}
