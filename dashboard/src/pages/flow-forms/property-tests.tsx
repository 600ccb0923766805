import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { withComparison } from '../../audience/conditions.ts'
import { NameInput } from '../../audience/name-input.tsx'
import { TestInputs } from '../../audience/test-inputs.tsx'
import { problemAt, problemBeside } from '../../draft/mistakes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import { isSame } from '../../draft/rebased.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import styles from './flow-forms.module.css'
import { useFlowForm } from './form-context.ts'
import { Problem } from './rows.tsx'
import { linesOf, type PropertyLine, propertiesOf } from './trigger.ts'

type PropertyTestsProps = {
  path: Path
  /** The event whose properties are offered; empty for none. */
  event: string
  value: unknown
  onChange: (properties: unknown) => void
}

const compared = 'property'

/** What must be true of the properties of an event or a purchase, all of it. */
export function PropertyTests({ path, event, value, onChange }: PropertyTestsProps) {
  const { mistakes } = useFlowForm()
  // Two lines may have one name while they are typed. The document has each name once.
  const [typed, setTyped] = useState<readonly PropertyLine[]>([])
  const stored = linesOf(value)
  if (stored === undefined) return <RawTests path={path} value={value} onChange={onChange} />
  const lines = isSame(propertiesOf(typed, value), value) ? typed : stored
  const write = (next: readonly PropertyLine[]) => {
    setTyped(next)
    onChange(propertiesOf(next, value))
  }
  const numbered = lines.map((line, i) => ({ line, i }))
  const beside = problemBeside(
    mistakes,
    path,
    lines.map(({ name }) => [...path, name]),
  )
  return (
    <div className={styles.lines} data-path={formatPath(path)}>
      {numbered.map(({ line, i }) => {
        const suggested = { kind: 'property', of: event, name: line.name } as const
        const at = [...path, line.name]
        return (
          <fieldset key={i} className={styles.property} aria-label={`Property ${i + 1}`} data-path={formatPath(at)}>
            <span>where</span>
            <NameInput
              label="Property"
              problem={undefined}
              suggested={suggested}
              onChange={(name) => write(lines.with(i, { ...line, name }))}
            />
            <TestInputs
              test={{ of: 'compared', compared }}
              compared={compared}
              members={line}
              problems={{ comparison: problemAt(mistakes, [...at, 'comparison']), value: valueProblem(at) }}
              suggest={suggested}
              onComparison={(comparison) =>
                write(lines.with(i, withComparison(compared, line, comparison) as PropertyLine))
              }
              onValue={(next) => write(lines.with(i, { ...line, value: next }))}
            />
            <IconButton label={`Remove property ${i + 1}`} onClick={() => write(lines.toSpliced(i, 1))}>
              <X size={16} aria-hidden />
            </IconButton>
          </fieldset>
        )
      })}
      <Problem text={beside} />
      <Button look="quiet" onClick={() => write([...lines, { name: '', comparison: 'equals', value: '' }])}>
        <Plus size={16} aria-hidden />
        Add a comparison of a property
      </Button>
    </div>
  )

  function valueProblem(at: Path): string | undefined {
    return problemBeside(mistakes, at, [[...at, 'comparison']])
  }
}

function RawTests({ path, value, onChange }: Omit<PropertyTestsProps, 'event'>) {
  const { mistakes } = useFlowForm()
  return (
    <JsonField
      label="Comparisons of properties"
      hint="There is no form for them. They are kept as they stand."
      rows={4}
      read={parseExactly}
      value={value}
      problem={problemAt(mistakes, path)}
      onChange={onChange}
    />
  )
}
