import { Plus, X } from 'lucide-react'
import { NameInput } from '../../audience/name-input.tsx'
import { problemAt, problemBeside } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import styles from './flow-forms.module.css'
import { useFlowForm } from './form-context.ts'
import { Problem } from './rows.tsx'

type SamePropertiesProps = { path: Path; event: string; value: unknown; onChange: (names: unknown) => void }

/** Properties that must be those of the event by which a person entered. */
export function SameProperties({ path, event, value, onChange }: SamePropertiesProps) {
  const { mistakes } = useFlowForm()
  const names: readonly unknown[] = Array.isArray(value) ? value : []
  const write = (next: readonly unknown[]) => onChange(next.length === 0 ? undefined : next)
  const numbered = names.map((name, i) => ({ name: typeof name === 'string' ? name : JSON.stringify(name), i }))
  const beside = problemBeside(
    mistakes,
    path,
    names.map((_, i) => [...path, i]),
  )
  return (
    <div className={styles.lines} data-path={formatPath(path)}>
      {numbered.map(({ name, i }) => (
        <div key={i} className={styles.property} data-path={formatPath([...path, i])}>
          <span>the same as at entry:</span>
          <NameInput
            label={`Property ${i + 1} that is the same`}
            problem={problemAt(mistakes, [...path, i])}
            suggested={{ kind: 'property', of: event, name }}
            onChange={(next) => write(names.with(i, next))}
          />
          <IconButton label={`Remove the same property ${i + 1}`} onClick={() => write(names.toSpliced(i, 1))}>
            <X size={16} aria-hidden />
          </IconButton>
        </div>
      ))}
      <Problem text={beside} />
      <Button look="quiet" onClick={() => write([...names, ''])}>
        <Plus size={16} aria-hidden />
        Add a property that is the same as at entry
      </Button>
    </div>
  )
}
