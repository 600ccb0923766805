import { InlineText } from '../ui/inline-field.tsx'
import { noteOf, optionsOf, type Suggested, useNames } from './names.ts'
import styles from './part.module.css'

type NameInputProps = {
  label: string
  problem: string | undefined
  suggested: Suggested
  placeholder?: string
  onChange: (name: string) => void
}

/** A name that people have, such as that of an attribute: known ones are offered, with what is known about them. */
export function NameInput({ suggested, placeholder, ...rest }: NameInputProps) {
  const names = useNames(suggested)
  const known = names?.find(({ name }) => name === suggested.name)
  return (
    <InlineText
      {...rest}
      className={styles.name}
      placeholder={placeholder ?? rest.label}
      value={suggested.name}
      suggestions={optionsOf(names)}
      note={known && noteOf(known)}
    />
  )
}
