import { NameInput } from '../../audience/name-input.tsx'
import { problemAt } from '../../draft/mistakes.ts'
import { formatPath, type Path, valueAt, withValue } from '../../draft/path.ts'
import { InlineSelect, type Option } from '../../ui/inline-field.tsx'
import { AtPath } from './at-path.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { PropertyTests } from './property-tests.tsx'
import { Problem } from './rows.tsx'
import { SameProperties } from './same-properties.tsx'
import { type TriggerKind, type TriggerPlace, triggerIn, withBeside, withKind } from './trigger.ts'

type TriggerFormProps = { path: Path; allows: TriggerPlace }

const events: readonly Option[] = [
  { value: 'event', label: 'Event' },
  { value: 'purchase', label: 'Purchase' },
]
const engagements: readonly Option[] = [
  { value: 'opened', label: 'They open a mail of it' },
  { value: 'clicked', label: 'They click in a mail of it' },
]

/** What people do: an event or a purchase, with comparisons of its properties, or for a conversion an opened mail. */
export function TriggerForm({ path, allows }: TriggerFormProps) {
  const { edits, mistakes } = useFlowForm()
  const { value, problemBeside } = useField(path)
  const { kind, member, name } = triggerIn(value, allows)
  const namePath = member === undefined ? path : [...path, member]
  const propertiesPath = [...path, 'properties']
  const samePath = [...path, 'same']
  const isCompared = kind === 'event' || kind === 'purchase'
  const beside = problemBeside(member === undefined ? [path] : [namePath, propertiesPath, samePath, ...ownPaths(path)])
  const write = (next: unknown, what: string) => {
    edits.change((document) => withValue(document, path, next), `${formatPath(path)} ${what}`)
  }
  const put = (of: string) => (given: unknown) => write(withBeside(value, of, given), of)
  return (
    <div className={styles.trigger} data-path={formatPath(path)}>
      <div className={styles.line}>
        <InlineSelect
          label="What they do"
          value={kind}
          options={allows === 'conversion' ? [...events, ...engagements] : events}
          onChange={(next) => write(withKind(value, allows, next as TriggerKind), 'kind')}
        />
        {isCompared && (
          <AtPath path={namePath}>
            <NameInput
              label={kind === 'event' ? 'Name of the event' : 'Id of the product, or any'}
              suggested={{ kind: kind === 'event' ? 'event' : 'product', name }}
              problem={problemAt(mistakes, namePath)}
              onChange={(next) => edits.set(namePath, next)}
            />
          </AtPath>
        )}
      </div>
      {isCompared && (
        <>
          <PropertyTests
            path={propertiesPath}
            event={kind === 'event' ? name : ''}
            value={valueAt(edits.document, propertiesPath) ?? undefined}
            onChange={put('properties')}
          />
          {allows !== 'first' && (
            <SameProperties
              path={samePath}
              event={kind === 'event' ? name : ''}
              value={valueAt(edits.document, samePath) ?? undefined}
              onChange={put('same')}
            />
          )}
        </>
      )}
      <Problem text={beside} />
    </div>
  )
}

/** Members of the path of a step, which has the trigger in it. Other fields show them. */
function ownPaths(path: Path): Path[] {
  return [
    [...path, 'name'],
    [...path, 'next'],
  ]
}
