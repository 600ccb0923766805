import { useState } from 'react'
import { flowShapes } from '../../api/flow-shapes.ts'
import type { Path } from '../../draft/path.ts'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import type { Option } from '../../ui/inline-field.tsx'
import { AtPath } from './at-path.tsx'
import { useField, useText } from './form-context.ts'

export { DurationField } from './duration-field.tsx'
export { OtherMembers } from './other-members.tsx'
export { WeekdaysField } from './weekdays-field.tsx'

type FieldProps = { path: Path; label: string; hint?: string }

/** What the interface says about a member: one of `flowShapes`. */
type Member = {
  readonly required?: true
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
}

/** A line of text. An empty one is left out. */
export function LineField({ path, of, ...rest }: FieldProps & { placeholder?: string; of?: Member }) {
  const { text, problem, set } = useText(path)
  return (
    <AtPath path={path}>
      <TextField
        {...rest}
        maxLength={of?.maxLength}
        aria-required={of?.required}
        value={text}
        problem={problem}
        onChange={(next) => set(next === '' ? undefined : next)}
      />
    </AtPath>
  )
}

type WordFieldProps = FieldProps & {
  choices: readonly Option[]
  /** What holds when the member is absent. Choosing it leaves the member out. */
  otherwise: string
}

/** One of a few words. A word that is written and not offered is shown as it is. */
export function WordField({ path, choices, otherwise, ...rest }: WordFieldProps) {
  const { value, problem, set } = useField(path)
  const written = value === undefined ? otherwise : typeof value === 'string' ? value : JSON.stringify(value)
  const isOffered = choices.some((choice) => choice.value === written)
  return (
    <AtPath path={path}>
      <ChoiceField
        {...rest}
        value={written}
        problem={problem}
        options={isOffered ? choices : [...choices, { value: written, label: written }]}
        onChange={(next) => set(next === otherwise ? undefined : next)}
      />
    </AtPath>
  )
}

type ChoiceOfProps<Choice extends string> = FieldProps & {
  of: { readonly choices: readonly Choice[] }
  /** What each choice is called. */
  labels: Readonly<Record<Choice, string>>
  /** What holds when the member is absent. */
  otherwise: Choice
}

/** One of the choices that the interface has. */
export function ChoiceOf<Choice extends string>({ of: { choices }, labels, ...rest }: ChoiceOfProps<Choice>) {
  return <WordField {...rest} choices={choices.map((value) => ({ value, label: labels[value] }))} />
}

/** A whole number. What is typed stays, also while it is not a number yet. An empty one is left out. */
export function NumberField({ path, of, placeholder, ...rest }: FieldProps & { placeholder?: string; of: Member }) {
  const { value, problem, set } = useField(path)
  const [typed, setTyped] = useState('')
  const shown = readWhole(typed) === value ? typed : textOf(value)
  return (
    <AtPath path={path}>
      <TextField
        {...rest}
        inputMode="numeric"
        placeholder={placeholder ?? `${of.minimum} to ${of.maximum}`}
        value={shown}
        problem={problem}
        onChange={(text) => {
          setTyped(text)
          set(readWhole(text))
        }}
      />
    </AtPath>
  )
}

/** Reads a number as it is typed. A text that is none stays a text, so that the server says what it must be. Pure. */
function readWhole(text: string): number | string | undefined {
  const digits = text.trim()
  if (digits === '') return undefined
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : digits
}

function textOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A time of day, such as 09:00. */
export function ClockField(props: FieldProps) {
  return <NativeField {...props} type="time" pattern={/^([01]\d|2[0-3]):[0-5]\d$/} />
}

/** A day, such as 2027-03-01. */
export function DateField(props: FieldProps) {
  return <NativeField {...props} type="date" pattern={/^[12]\d{3}-\d{2}-\d{2}$/} />
}

/** The browser's own field. A value that it cannot show is a text, so that it can be mended. */
function NativeField({ path, type, pattern, ...rest }: FieldProps & { type: 'time' | 'date'; pattern: RegExp }) {
  const { value, problem, set } = useField(path)
  const text = textOf(value)
  return (
    <AtPath path={path}>
      <TextField
        {...rest}
        type={text === '' || pattern.test(text) ? type : 'text'}
        value={text}
        problem={problem}
        onChange={(next) => set(next === '' ? undefined : next)}
      />
    </AtPath>
  )
}

const zones = Intl.supportedValuesOf('timeZone').map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
const local = { value: flowShapes.flow_recurrence.zone.preset, label: 'Everybody in their own time zone' }

/** The time zone of a schedule; everybody's own when it is absent. */
export function ZoneField(props: FieldProps) {
  return <WordField {...props} otherwise={local.value} choices={[local, { value: 'UTC', label: 'UTC' }, ...zones]} />
}
