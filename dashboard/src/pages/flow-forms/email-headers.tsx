import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { isSame } from '../../draft/rebased.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { InlineText } from '../../ui/inline-field.tsx'
import styles from './email-form.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { isMembers } from './members.ts'

type Line = readonly [name: string, value: unknown]

/** Texts by name, such as the headers of a mail or a webhook. Two lines may have one name while they are typed. */
export function HeadersField({ path }: { path: Path }) {
  const { mistakes } = useFlowForm()
  const { value, problemBeside, set } = useField(path)
  const [typed, setTyped] = useState<readonly Line[]>([])
  const stored: readonly Line[] = isMembers(value) ? Object.entries(value) : []
  const isTyped = isSame(headersOf(typed), headersOf(stored))
  const lines = isTyped ? typed : stored
  const numbered = lines.map(([name, text], i) => ({ name, text, i }))
  const write = (next: readonly Line[]) => {
    setTyped(next)
    set(headersOf(next))
  }
  const beside = problemBeside(lines.map(([name]) => [...path, name]))
  return (
    <fieldset className={styles.group} data-path={formatPath(path)}>
      <legend className={styles.label}>Headers</legend>
      {numbered.map(({ name, text, i }) => (
        <div key={i} className={styles.bar}>
          <InlineText
            label={`Name of header ${i + 1}`}
            placeholder="X-Name"
            value={name}
            onChange={(next) => write(lines.with(i, [next, text]))}
          />
          <InlineText
            label={`Value of header ${i + 1}`}
            placeholder="value"
            value={typeof text === 'string' ? text : JSON.stringify(text)}
            problem={problemAt(mistakes, [...path, name])}
            onChange={(next) => write(lines.with(i, [name, next]))}
          />
          <IconButton label={`Remove header ${i + 1}`} onClick={() => write(lines.toSpliced(i, 1))}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      {beside !== undefined && (
        <p className={styles.problem} role="alert">
          {beside}
        </p>
      )}
      <div>
        <Button look="quiet" onClick={() => write([...lines, ['', '']])}>
          <Plus size={16} aria-hidden />
          Add a header
        </Button>
      </div>
    </fieldset>
  )
}

/** Returns the headers of lines. A line without a name and a value is not written yet. Pure. */
function headersOf(lines: readonly Line[]): Readonly<Record<string, unknown>> | undefined {
  const given = lines.filter(([name, value]) => name !== '' || value !== '')
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
