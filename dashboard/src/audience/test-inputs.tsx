import { InlineNumber, InlineSelect, InlineText, type Option } from '../ui/inline-field.tsx'
import {
  asScalar,
  type Compared,
  comparisonsOf,
  readNumber,
  type ScalarType,
  scalarTypeOf,
  scalarTypes,
  valueKindOf,
} from './comparisons.ts'
import type { Members, Test } from './kinds.ts'
import { type Suggested, useSuggestions } from './names.ts'
import styles from './part.module.css'

type TestInputsProps = {
  test: Test
  compared: Compared | undefined
  members: Members
  problems: { readonly comparison: string | undefined; readonly value: string | undefined }
  /** What the value belongs to, whose examples are offered. */
  suggest?: Suggested
  onComparison: (comparison: string) => void
  onValue: (value: unknown) => void
}

/** The comparison and the value of a condition. */
export function TestInputs({ test, compared, members, problems, suggest, onComparison, onValue }: TestInputsProps) {
  const comparison = typeof members.comparison === 'string' ? members.comparison : 'is'
  const groups = comparisonsOf(compared ?? 'membership', comparison)
  return (
    <>
      <InlineSelect
        label="Comparison"
        className={styles.comparison}
        value={comparison}
        problem={problems.comparison}
        groups={groups.map(({ label, choices }) => ({ label, options: choices }))}
        onChange={onComparison}
      />
      {test.of === 'state' && (
        <InlineSelect
          label="State"
          className={styles.short}
          value={String(members.value)}
          problem={problems.value}
          options={withWritten(test.choices, members.value)}
          onChange={onValue}
        />
      )}
      {compared !== undefined && (
        <ValueInput
          compared={compared}
          members={members}
          problem={problems.value}
          {...(suggest && { suggest })}
          onChange={onValue}
        />
      )}
    </>
  )
}

/** Adds a value that is written and not offered to the options. Pure. */
export function withWritten(options: readonly Option[], written: unknown): readonly Option[] {
  if (typeof written !== 'string' || written === '' || options.some(({ value }) => value === written)) return options
  return [...options, { value: written, label: written }]
}

type ValueInputProps = {
  compared: Compared
  members: Members
  problem: string | undefined
  suggest?: Suggested
  onChange: (value: unknown) => void
}

function ValueInput({ compared, members: { comparison, value }, problem, suggest, onChange }: ValueInputProps) {
  const kind = valueKindOf(compared, comparison)
  const shared = { label: 'Value', problem, className: styles.value }
  if (kind === 'none') return null
  if (kind === 'scalar') {
    return <ScalarInput value={value} problem={problem} {...(suggest && { suggest })} onChange={onChange} />
  }
  if (kind === 'number' || kind === 'days') {
    const label = kind === 'days' ? 'Days' : compared === 'times' ? 'Times' : 'Value'
    return (
      <InlineNumber
        {...shared}
        label={label}
        className={styles.number}
        value={value}
        read={readNumber}
        onChange={(number) => onChange(number)}
      />
    )
  }
  const placeholder = kind === 'time' ? { placeholder: '2026-03-03T13:17:55+01:00' } : {}
  return <InlineText {...shared} {...placeholder} value={String(value ?? '')} onChange={onChange} />
}

const yesNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
]

type ScalarInputProps = Omit<ValueInputProps, 'compared' | 'members'> & { value: unknown }

/** A value that is text, a number, or yes or no: its type is chosen, because `5` and "5" are different values. */
function ScalarInput({ value, problem, suggest, onChange }: ScalarInputProps) {
  const type = scalarTypeOf(value)
  const examples = useSuggestions(suggest)
  const shared = { label: 'Value', problem, className: styles.value }
  return (
    <>
      <InlineSelect
        label="Type of the value"
        className={styles.type}
        value={type}
        options={scalarTypes}
        onChange={(next) => onChange(asScalar(next as ScalarType, value))}
      />
      {type === 'boolean' && (
        <InlineSelect
          {...shared}
          className={styles.short}
          value={String(value)}
          options={yesNo}
          onChange={(next) => onChange(next === 'true')}
        />
      )}
      {type === 'number' && (
        <InlineNumber
          {...shared}
          className={styles.number}
          value={value}
          read={readNumber}
          onChange={(number) => onChange(number)}
        />
      )}
      {type === 'string' && (
        <InlineText {...shared} suggestions={examples} value={String(value ?? '')} onChange={onChange} />
      )}
    </>
  )
}
