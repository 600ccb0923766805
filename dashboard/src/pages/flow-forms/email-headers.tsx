import { useState } from 'react'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { isSame } from '../../draft/rebased.ts'
import { InlineText } from '../../ui/inline-field.tsx'
import styles from './email-form.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { isMembers } from './members.ts'
import { Rows } from './rows.tsx'

type Line = readonly [name: string, value: unknown]

/** Texts by name, such as the headers of a mail or a webhook. Two lines may have one name while they are typed. */
export function HeadersField({ path }: { path: Path }) {
  const { mistakes } = useFlowForm()
  const { value, problemBeside, set } = useField(path)
  const [typed, setTyped] = useState<readonly Line[]>([])
  const stored: readonly Line[] = isMembers(value) ? Object.entries(value) : []
  const isTyped = isSame(headersOf(typed), headersOf(stored))
  const lines = isTyped ? typed : stored
  const write = (next: readonly Line[]) => {
    setTyped(next)
    set(headersOf(next))
  }
  return (
    <fieldset className={styles.group} data-path={formatPath(path)}>
      <legend className={styles.label}>Headers</legend>
      <Rows
        name="header"
        count={lines.length}
        add="Add a header"
        inline
        problem={problemBeside(lines.map(([name]) => [...path, name]))}
        onAdd={() => write([...lines, ['', '']])}
        onRemove={(i) => write(lines.toSpliced(i, 1))}
      >
        {(i) => {
          const [name, text] = lines[i]!
          return (
            <>
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
            </>
          )
        }}
      </Rows>
    </fieldset>
  )
}

/** Returns the headers of lines. A line without a name and a value is not written yet. Pure. */
function headersOf(lines: readonly Line[]): Readonly<Record<string, unknown>> | undefined {
  const given = lines.filter(([name, value]) => name !== '' || value !== '')
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
