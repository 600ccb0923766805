import { problemAt } from '../draft/mistakes.ts'
import type { Path } from '../draft/path.ts'
import { InlineNumber, InlineSelect } from '../ui/inline-field.tsx'
import { readNumber } from './comparisons.ts'
import { useEditor } from './editor-context.ts'
import { KeysInput } from './keys-input.tsx'
import type { Field, Members } from './kinds.ts'
import { NameInput } from './name-input.tsx'
import styles from './part.module.css'
import { PropertiesInput } from './properties-input.tsx'
import { ReferenceInput } from './reference-input.tsx'
import { withWritten } from './test-inputs.tsx'

type FieldInputProps = {
  field: Field
  members: Members
  path: Path
  /** Called with undefined to leave the member out. */
  onChange: (value: unknown) => void
}

/** A member of a condition, edited as its kind says. */
export function FieldInput({ field, members, path, onChange }: FieldInputProps) {
  const { mistakes } = useEditor()
  const { label, member } = field
  const value = members[member]
  const text = typeof value === 'string' ? value : ''
  const shared = { label, problem: problemAt(mistakes, path) }
  const leave = (next: string) => onChange(next === '' && field.isOptional ? undefined : next)
  switch (field.control) {
    case 'name':
      return (
        <NameInput
          {...shared}
          suggested={{ kind: field.names, name: text }}
          {...(field.any !== undefined && { placeholder: field.any })}
          onChange={leave}
        />
      )
    case 'reference':
      return <ReferenceInput {...shared} field={field} members={members} value={text} onChange={leave} />
    case 'choice': {
      const any = field.any === undefined ? [] : [{ value: '', label: field.any }]
      const options = withWritten([...any, ...field.choices], value)
      return <InlineSelect {...shared} className={styles.choice} value={text} options={options} onChange={leave} />
    }
    case 'keys':
      return <KeysInput {...shared} keys={(value as readonly string[] | undefined) ?? []} onChange={onChange} />
    case 'days':
      return (
        <span className={styles.window}>
          in the last
          <InlineNumber
            {...shared}
            className={styles.days}
            placeholder="ever"
            value={value}
            read={readNumber}
            onChange={(days, typed) => onChange(typed.trim() === '' ? undefined : days)}
          />
          days
        </span>
      )
    case 'flag':
      return (
        <label className={styles.flag}>
          <input
            type="checkbox"
            checked={value === true}
            onChange={(event) => onChange(event.target.checked ? true : undefined)}
          />
          {label}
        </label>
      )
    case 'properties':
      return (
        <PropertiesInput
          path={path}
          event={field.ofEvent && typeof members.name === 'string' ? members.name : ''}
          properties={(value as readonly Members[] | undefined) ?? []}
          onChange={onChange}
        />
      )
  }
}
