import { Trash2 } from 'lucide-react'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { isMembers, renamed } from './members.ts'

/** The headers of a call. One that holds a secret is sealed: it keeps its text until another one is typed. */
export function HeadersForm({ path }: { path: Path }) {
  const { mistakes } = useFlowForm()
  const { value, set } = useField(path)
  const headers = isMembers(value) ? value : {}
  const names = Object.keys(headers)
  const write = (next: Readonly<Record<string, unknown>>) => set(Object.keys(next).length === 0 ? undefined : next)
  return (
    <div className={styles.form} data-path={formatPath(path)}>
      <h3>Headers</h3>
      {names.map((name, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed.
        <div key={i} className={styles.header} data-path={formatPath([...path, name])}>
          <TextField
            label="Name"
            value={name}
            onChange={(next) => (Object.hasOwn(headers, next) ? undefined : write(renamed(headers, name, next)))}
          />
          <TextField
            label="Value"
            hint={hintOf(headers[name])}
            value={textOf(headers[name])}
            problem={problemAt(mistakes, [...path, name])}
            onChange={(text) => write({ ...headers, [name]: text })}
          />
          <IconButton
            label={`Delete the header ${name}`}
            onClick={() => write(Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)))}
          >
            <Trash2 size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <Button
        disabledReason={Object.hasOwn(headers, 'X-Header') ? 'Name the new header first.' : undefined}
        onClick={() => write({ ...headers, 'X-Header': '' })}
      >
        Add a header
      </Button>
    </div>
  )
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (isMembers(value)) return ''
  return value === undefined ? '' : JSON.stringify(value)
}

function hintOf(value: unknown): string | undefined {
  if (!isMembers(value)) return undefined
  if (value.sealed === true) return 'Its text is secret and stays. Type another one to replace it.'
  return typeof value.credential === 'string' ? `The credential "${value.credential}".` : 'An object; edit it as text.'
}
