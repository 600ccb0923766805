import { type ComponentProps, type ReactNode, useId } from 'react'
import styles from './form.module.css'

type LabelledProps = {
  label: string
  /** A sentence below the label: what the field is for. */
  hint?: ReactNode
  /** What is wrong with the value, in the words of the server. */
  problem?: string | undefined
}

type TextFieldProps = Omit<ComponentProps<'input'>, 'onChange' | 'id'> &
  LabelledProps & { onChange: (value: string) => void; mono?: boolean }

/** A field for one line of text, with its label above it. */
export function TextField({ label, hint, problem, onChange, mono, className, ...rest }: TextFieldProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint} problem={problem}>
      <input
        autoComplete="off"
        dir="auto"
        {...rest}
        {...described(id, hint, problem)}
        className={inputClass(mono, className)}
        onChange={(event) => onChange(event.target.value)}
      />
    </Labelled>
  )
}

type TextAreaProps = Omit<ComponentProps<'textarea'>, 'onChange' | 'id'> &
  LabelledProps & { onChange: (value: string) => void; mono?: boolean }

/** A field for several lines of text, such as JSON. */
export function TextArea({ label, hint, problem, onChange, mono, className, ...rest }: TextAreaProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint} problem={problem}>
      <textarea
        rows={6}
        dir="auto"
        spellCheck={!mono}
        {...rest}
        {...described(id, hint, problem)}
        className={inputClass(mono, className)}
        onChange={(event) => onChange(event.target.value)}
      />
    </Labelled>
  )
}

type ChoiceFieldProps = LabelledProps & {
  value: string
  options: readonly { readonly value: string; readonly label: string }[]
  onChange: (value: string) => void
}

/** A field to choose one of a few values. */
export function ChoiceField({ label, hint, problem, value, options, onChange }: ChoiceFieldProps) {
  const id = useId()
  return (
    <Labelled id={id} label={label} hint={hint} problem={problem}>
      <select
        {...described(id, hint, problem)}
        className={styles.input}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

type CheckFieldProps = { label: ReactNode; hint?: ReactNode; checked: boolean; onChange: (checked: boolean) => void }

/** A box to tick. */
export function CheckField({ label, hint, checked, onChange }: CheckFieldProps) {
  return (
    <label className={styles.check}>
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <span>
        {label}
        {hint && <span className={styles.hint}>{hint}</span>}
      </span>
    </label>
  )
}

function Labelled({ id, label, hint, problem, children }: LabelledProps & { id: string; children: ReactNode }) {
  return (
    <div className={styles.field}>
      <label htmlFor={id} className={styles.label}>
        {label}
      </label>
      {hint && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
      {children}
      {problem !== undefined && (
        <span id={`${id}-problem`} className={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </div>
  )
}

function described(id: string, hint: ReactNode, problem: string | undefined) {
  const parts = [...(hint ? [`${id}-hint`] : []), ...(problem === undefined ? [] : [`${id}-problem`])]
  return {
    id,
    'aria-invalid': problem !== undefined || undefined,
    'aria-describedby': parts.length === 0 ? undefined : parts.join(' '),
  }
}

function inputClass(mono: boolean | undefined, more: string | undefined): string {
  return [styles.input, mono ? styles.mono : '', more ?? ''].filter((name) => name !== '').join(' ')
}
