import { useState } from 'react'
import type { FormSchema } from '../../api/form-schema.ts'
import { type Mistake, problemAt, problemBeside } from '../../draft/mistakes.ts'
import type { Path } from '../../draft/path.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField, TextArea, TextField } from '../../ui/form.tsx'
import { keyed } from '../../ui/keyed.ts'
import { readNumber, readPairs, writePairs } from './input-texts.ts'
import { memberLabel } from './setting-words.ts'
import styles from './settings.module.css'

export type SchemaInputProps = {
  schema: FormSchema
  label: string
  hint?: string | undefined
  value: unknown
  /** Undefined: the value is not set. */
  onChange: (value: unknown) => void
  path: Path
  mistakes: readonly Mistake[]
}

/** Members of an object from which on it is folded up. */
const foldedMin = 8

/** The field for a value, made from its schema. */
export function SchemaInput(props: SchemaInputProps) {
  const { schema } = props
  if (schema.anyOf) return <UnionInput {...props} />
  if (schema.type === 'boolean') return <BooleanInput {...props} />
  if (schema.enum) return <EnumInput {...props} />
  if (schema.type === 'integer' || schema.type === 'number') return <NumberInput {...props} />
  if (schema.type === 'array') {
    return schema.items?.type === 'object' ? <ObjectListInput {...props} /> : <LinesInput {...props} />
  }
  if (schema.patternProperties) return <PairsInput {...props} />
  if (schema.type === 'object') return <ObjectInput {...props} />
  return <LineInput {...props} />
}

function BooleanInput({ label, hint, value, onChange }: SchemaInputProps) {
  return <CheckField label={label} hint={hint} checked={value === true} onChange={onChange} />
}

function EnumInput({ schema, label, hint, value, onChange, path, mistakes }: SchemaInputProps) {
  const options = [
    ...(value === undefined ? [{ value: '', label: 'not set' }] : []),
    ...(schema.enum ?? []).map((word) => ({ value: word, label: word.replaceAll('_', ' ') })),
  ]
  return (
    <ChoiceField
      label={label}
      hint={hint}
      problem={problemAt(mistakes, path)}
      value={String(value ?? '')}
      options={options}
      onChange={(word) => onChange(word === '' ? undefined : word)}
    />
  )
}

function LineInput({ label, hint, value, onChange, path, mistakes }: SchemaInputProps) {
  return (
    <TextField
      label={label}
      hint={hint}
      problem={problemAt(mistakes, path)}
      value={String(value ?? '')}
      onChange={(text) => onChange(text === '' ? undefined : text)}
    />
  )
}

function NumberInput(props: SchemaInputProps) {
  const { label, hint, value, onChange, path, mistakes } = props
  return (
    <TextField
      label={label}
      hint={hint}
      problem={problemAt(mistakes, path)}
      value={String(value ?? '')}
      inputMode="decimal"
      onChange={(text) => onChange(text === '' ? undefined : readNumber(text))}
    />
  )
}

/** A list of texts, one a line. */
function LinesInput({ label, hint, value, onChange, path, mistakes }: SchemaInputProps) {
  const lines = Array.isArray(value) ? value.map(String) : []
  return (
    <TextArea
      label={label}
      hint={`${hint === undefined ? '' : `${hint} `}One a line.`}
      problem={problemAt(mistakes, path)}
      rows={Math.min(Math.max(lines.length + 1, 2), 8)}
      value={lines.join('\n')}
      onChange={(text) => onChange(text === '' ? undefined : text.split('\n'))}
      onBlur={() => {
        const given = lines.map((line) => line.trim()).filter((line) => line !== '')
        if (given.length !== lines.length) onChange(given.length === 0 ? undefined : given)
      }}
    />
  )
}

/** Names with a number each, such as `gmail.com 20`, one a line. */
function PairsInput({ label, hint, value, onChange, path, mistakes }: SchemaInputProps) {
  const [text, setText] = useState(() => writePairs(value))
  const isOther = JSON.stringify(readPairs(text)) !== JSON.stringify(value)
  const shown = isOther ? writePairs(value) : text
  return (
    <TextArea
      label={label}
      hint={`${hint === undefined ? '' : `${hint} `}One a line, such as gmail.com 20.`}
      problem={problemAt(mistakes, path)}
      rows={3}
      value={shown}
      onChange={(given) => {
        setText(given)
        onChange(readPairs(given))
      }}
    />
  )
}

function ObjectInput(props: SchemaInputProps) {
  const { schema, label, hint, path, mistakes } = props
  const members = Object.keys(schema.properties ?? {})
  const own = problemBeside(
    mistakes,
    path,
    members.map((name) => [...path, name]),
  )
  const fields = <Members {...props} />
  return (
    <fieldset className={styles.object}>
      <legend>{label}</legend>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      {members.length < foldedMin ? (
        fields
      ) : (
        <details open={mistakes.length > 0 || undefined}>
          <summary>{members.length} groups</summary>
          {fields}
        </details>
      )}
      {own !== undefined && (
        <p className={styles.problem} role="alert">
          {own}
        </p>
      )}
    </fieldset>
  )
}

function Members({ schema, value, onChange, path, mistakes }: SchemaInputProps) {
  const given = (value ?? {}) as Readonly<Record<string, unknown>>
  const change = (name: string, member: unknown) => {
    const all = Object.entries({ ...given, [name]: member }).filter(([, each]) => each !== undefined)
    onChange(all.length === 0 ? undefined : Object.fromEntries(all))
  }
  return (
    <div className={styles.members}>
      {Object.entries(schema.properties ?? {}).map(([name, member]) => (
        <SchemaInput
          key={name}
          schema={member}
          label={memberLabel(name)}
          hint={member.type === 'object' || member.anyOf ? undefined : member.description}
          value={given[name]}
          onChange={(next) => change(name, next)}
          path={[...path, name]}
          mistakes={mistakes}
        />
      ))}
    </div>
  )
}

function ObjectListInput({ schema, label, hint, value, onChange, path, mistakes }: SchemaInputProps) {
  const entries = Array.isArray(value) ? (value as readonly unknown[]) : []
  const isFull = entries.length >= (schema.maxItems ?? Number.POSITIVE_INFINITY)
  const own = problemBeside(
    mistakes,
    path,
    entries.map((_, i) => [...path, i]),
  )
  const remove = (i: number) => onChange(entries.length === 1 ? undefined : entries.toSpliced(i, 1))
  return (
    <fieldset className={styles.object}>
      <legend>{label}</legend>
      {hint !== undefined && <p className={styles.hint}>{hint}</p>}
      {keyed(entries, () => '').map(({ key }, i) => (
        <div key={key} className={styles.entry}>
          <SchemaInput
            schema={schema.items ?? {}}
            label={`${i + 1}`}
            value={entries[i]}
            onChange={(next) => onChange(entries.toSpliced(i, 1, next ?? {}))}
            path={[...path, i]}
            mistakes={mistakes}
          />
          <Button onClick={() => remove(i)} aria-label={`Remove ${i + 1} of ${label}`}>
            Remove
          </Button>
        </div>
      ))}
      <Button
        disabledReason={isFull ? `There can be ${schema.maxItems} at most.` : undefined}
        onClick={() => onChange([...entries, {}])}
      >
        Add
      </Button>
      {own !== undefined && (
        <p className={styles.problem} role="alert">
          {own}
        </p>
      )}
    </fieldset>
  )
}

/** A word, or an object: `unlimited`, or limits. */
function UnionInput(props: SchemaInputProps) {
  const { schema, label, value, onChange, path, mistakes } = props
  const word = schema.anyOf?.find((each) => each.const !== undefined)?.const
  const object = schema.anyOf?.find((each) => each.type === 'object')
  const kind = value === undefined ? '' : value === word ? 'word' : 'object'
  const options = [
    { value: '', label: 'as delivered' },
    { value: 'word', label: String(word) },
    { value: 'object', label: 'limited' },
  ]
  const choose = (next: string) => onChange(({ word, object: {} } as Record<string, unknown>)[next])
  return (
    <div>
      <ChoiceField
        label={label}
        problem={kind === 'object' ? undefined : problemAt(mistakes, path)}
        value={kind}
        options={options}
        onChange={choose}
      />
      {kind === 'object' && object && (
        <ObjectInput {...props} schema={object} onChange={(next) => onChange(next ?? {})} />
      )}
    </div>
  )
}
