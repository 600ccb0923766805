import { useState } from 'react'
import { formatPath, type Path } from '../../draft/path.ts'
import { InlineSelect, InlineText } from '../../ui/inline-field.tsx'
import { type DurationUnit, durationUnits, readDuration, writeDuration } from './durations.ts'
import styles from './flow-forms.module.css'
import { useText } from './form-context.ts'

type DurationFieldProps = { path: Path; label: string; hint?: string; placeholder?: string }

const asWritten = { value: 'iso', label: 'as ISO 8601' }
const begin: DurationUnit = 'D'

/** A length of time: a number and a unit, or as ISO 8601 writes it, such as `P1DT12H`. */
export function DurationField({ path, label, hint, placeholder }: DurationFieldProps) {
  const { text, problem, set } = useText(path)
  const read = readDuration(text)
  const [chosen, choose] = useState<DurationUnit | 'iso'>()
  const unit = text === '' ? (chosen ?? begin) : chosen === 'iso' || !read ? 'iso' : read.unit
  const write = (count: string) => {
    const digits = count.trim()
    if (digits === '') set(undefined)
    else set(unit === 'iso' || !/^\d+$/.test(digits) ? digits : writeDuration({ count: digits, unit }))
  }
  return (
    <div className={styles.field} data-path={formatPath(path)}>
      <span className={styles.label}>{label}</span>
      {hint && <span className={styles.hint}>{hint}</span>}
      <span className={styles.pair}>
        <InlineText
          label={label}
          className={unit === 'iso' ? styles.iso : styles.count}
          inputMode={unit === 'iso' ? 'text' : 'numeric'}
          placeholder={unit === 'iso' ? 'P1DT12H' : placeholder}
          value={unit === 'iso' || !read ? text : read.count}
          problem={problem}
          onChange={write}
        />
        <InlineSelect
          label={`Unit of ${label}`}
          value={unit}
          options={[...durationUnits, asWritten]}
          onChange={(next) => {
            choose(next as DurationUnit | 'iso')
            if (next !== 'iso' && read) set(writeDuration({ count: read.count, unit: next as DurationUnit }))
          }}
        />
      </span>
    </div>
  )
}
