import { Trash2 } from 'lucide-react'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { CredentialField, SchemeField, useCredentials } from './header-credential.tsx'
import { isMembers, renamed } from './members.ts'

/** The headers of a call. A secret one names a credential, or is sealed: it keeps its text until another one is typed. */
export function HeadersForm({ path }: { path: Path }) {
  const { value, set } = useField(path)
  const credentials = useCredentials()
  const headers = isMembers(value) ? value : {}
  const write = (next: Readonly<Record<string, unknown>>) => set(Object.keys(next).length === 0 ? undefined : next)
  return (
    <div className={styles.form} data-path={formatPath(path)}>
      <h3>Headers</h3>
      {Object.entries(headers).map(([name, text], i) => (
        <Header
          // biome-ignore lint/suspicious/noArrayIndexKey: a name changes while it is typed.
          key={i}
          name={name}
          value={text}
          path={[...path, name]}
          credentials={credentials}
          onName={(next) => (Object.hasOwn(headers, next) ? undefined : write(renamed(headers, name, next)))}
          onValue={(next) => write({ ...headers, [name]: next })}
          onDelete={() => write(Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)))}
        />
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

type HeaderProps = {
  name: string
  value: unknown
  path: Path
  credentials: ReturnType<typeof useCredentials>
  onName: (name: string) => void
  onValue: (value: unknown) => void
  onDelete: () => void
}

function Header({ name, value, path, credentials, onName, onValue, onDelete }: HeaderProps) {
  const { mistakes } = useFlowForm()
  const hasCredential = isMembers(value) && value.sealed !== true
  return (
    <div className={styles.item} data-path={formatPath(path)}>
      <div className={styles.header}>
        <TextField label="Name" value={name} onChange={onName} />
        <IconButton label={`Delete the header ${name}`} onClick={onDelete}>
          <Trash2 size={16} aria-hidden />
        </IconButton>
      </div>
      <div className={styles.grid}>
        {hasCredential ? (
          <SchemeField name={name} value={value} onChange={onValue} />
        ) : (
          <TextField
            label="Value"
            hint={isMembers(value) ? 'Its text is secret and stays. Type another one to replace it.' : undefined}
            value={textOf(value)}
            problem={problemAt(mistakes, path)}
            onChange={onValue}
          />
        )}
        <CredentialField
          name={name}
          value={value}
          credentials={credentials}
          problem={hasCredential ? problemAt(mistakes, path) : undefined}
          onChange={onValue}
        />
      </div>
    </div>
  )
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || isMembers(value) ? '' : JSON.stringify(value)
}
