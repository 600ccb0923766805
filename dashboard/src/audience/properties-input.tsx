import { Plus, X } from 'lucide-react'
import { problemAt } from '../draft/mistakes.ts'
import type { Path } from '../draft/path.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { withComparison } from './conditions.ts'
import { useEditor } from './editor-context.ts'
import type { Members } from './kinds.ts'
import { NameInput } from './name-input.tsx'
import styles from './part.module.css'
import { TestInputs } from './test-inputs.tsx'

const begin = { name: '', comparison: 'equals', value: '' }
const compared = 'property'

type PropertiesInputProps = {
  path: Path
  /** The event whose properties are offered; empty for none. */
  event: string
  properties: readonly Members[]
  onChange: (properties: readonly Members[] | undefined) => void
}

/** What must be true of an event or a purchase, so that it counts. */
export function PropertiesInput({ path, event, properties, onChange }: PropertiesInputProps) {
  const { mistakes } = useEditor()
  const set = (next: readonly Members[]) => onChange(next.length === 0 ? undefined : next)
  const numbered = properties.map((property, i) => ({ property, i }))
  return (
    <div className={styles.properties}>
      {numbered.map(({ property, i }) => {
        const at = (member: string) => problemAt(mistakes, [...path, i, member])
        const suggested = { kind: 'property', of: event, name: String(property.name) } as const
        const write = (next: Members) => set(properties.with(i, next))
        return (
          <fieldset key={i} className={styles.property} aria-label={`Property ${i + 1}`}>
            <span>where</span>
            <NameInput
              label="Property"
              problem={at('name')}
              suggested={suggested}
              onChange={(name) => write({ ...property, name })}
            />
            <TestInputs
              test={{ of: 'compared', compared }}
              compared={compared}
              members={property}
              problems={{ comparison: at('comparison'), value: at('value') }}
              suggest={suggested}
              onComparison={(comparison) => write(withComparison(compared, property, comparison))}
              onValue={(value) => write({ ...property, value })}
            />
            <IconButton label={`Remove property ${i + 1}`} onClick={() => set(properties.toSpliced(i, 1))}>
              <X size={16} aria-hidden />
            </IconButton>
          </fieldset>
        )
      })}
      <Button look="quiet" aria-label="Add a property" onClick={() => set([...properties, begin])}>
        <Plus size={16} aria-hidden />
        property
      </Button>
    </div>
  )
}
