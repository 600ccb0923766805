import { Plus, X } from 'lucide-react'
import { formatPath, withInserted } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { AudienceForm } from './audience-form.tsx'
import { OtherMembers } from './fields.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { listAt, withMember } from './members.ts'
import { TriggerForm } from './trigger-form.tsx'

const path = ['exit']
const events = [...path, 'events']

/** What makes people leave a flow early: events and purchases, or conditions that become true. */
export function ExitForm() {
  const { edits } = useFlowForm()
  const { problemBeside } = useField(events)
  const entries = listAt(edits.document, events)
  const numbered = entries.map((entry, i) => ({ entry, i }))
  const remove = (i: number) => {
    const rest = entries.toSpliced(i, 1)
    edits.change((document) => withMember(document, events, rest.length === 0 ? undefined : rest))
  }
  const beside = problemBeside(entries.map((_, i) => [...events, i]))
  return (
    <div className={styles.form}>
      <div className={styles.group}>
        <span className={styles.label}>They leave early when they do one of these</span>
        <div className={styles.list}>
          {numbered.map(({ i }) => (
            <fieldset
              key={i}
              className={`${styles.group} ${styles.item}`}
              aria-label={`Exit ${i + 1}`}
              data-path={formatPath([...events, i])}
            >
              <div className={styles.head}>
                <strong>Exit {i + 1}</strong>
                <IconButton className={styles.end} label={`Remove exit ${i + 1}`} onClick={() => remove(i)}>
                  <X size={16} aria-hidden />
                </IconButton>
              </div>
              <TriggerForm path={[...events, i]} allows="next" />
            </fieldset>
          ))}
        </div>
        {beside !== undefined && (
          <p className={styles.problem} role="alert">
            {beside}
          </p>
        )}
        <div>
          <Button
            look="quiet"
            onClick={() => {
              const add = (document: unknown) => withInserted(document, events, entries.length, '')
              edits.change(add, `${formatPath(events)} ${entries.length}`)
            }}
          >
            <Plus size={16} aria-hidden />
            Add an event that ends it
          </Button>
        </div>
      </div>
      <AudienceForm path={path} label="They leave early when this is true" none="Nothing" />
      <OtherMembers path={path} known={['events', 'segment', 'audience']} />
    </div>
  )
}
