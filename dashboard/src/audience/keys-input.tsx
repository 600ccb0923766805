import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../ui/button.tsx'
import { InlineText } from '../ui/inline-field.tsx'
import styles from './part.module.css'

type KeysInputProps = {
  label: string
  problem: string | undefined
  keys: readonly string[]
  onChange: (keys: readonly string[] | undefined) => void
}

/** The keys below a nested attribute, from the outside. */
export function KeysInput({ label, problem, keys, onChange }: KeysInputProps) {
  const set = (next: readonly string[]) => onChange(next.length === 0 ? undefined : next)
  const numbered = keys.map((key, i) => ({ key, i }))
  return (
    <span className={styles.keys}>
      {numbered.map(({ key, i }) => (
        <span key={i} className={styles.key}>
          <InlineText
            label={`Key ${i + 1} below the attribute`}
            className={styles.short}
            placeholder="key"
            value={key}
            problem={i === 0 ? problem : undefined}
            onChange={(text) => set(keys.with(i, text))}
          />
          <IconButton label={`Remove key ${i + 1}`} onClick={() => set(keys.toSpliced(i, 1))}>
            <X size={16} aria-hidden />
          </IconButton>
        </span>
      ))}
      <Button look="quiet" title={label} aria-label="Add a key below the attribute" onClick={() => set([...keys, ''])}>
        <Plus size={16} aria-hidden />
        key
      </Button>
    </span>
  )
}
