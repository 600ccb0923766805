import { Plus, X } from 'lucide-react'
import { formatPath, withInserted } from '../../draft/path.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DurationField, LineField, OtherMembers } from './fields.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { listAt, withMember } from './members.ts'
import { TriggerForm } from './trigger-form.tsx'

const path = ['conversions']
const conversionsMax = 4
const defaultNames = ['A', 'B', 'C', 'D'].map((letter) => `Primary Conversion Event - ${letter}`)

/** What people shall do because of a flow, and within which time. Each conversion is counted for each variant and the control group. */
export function ConversionsForm() {
  const { edits } = useFlowForm()
  const { problemBeside } = useField(path)
  const entries = listAt(edits.document, path)
  const numbered = entries.map((entry, i) => ({ entry, i }))
  const remove = (i: number) => {
    const rest = entries.toSpliced(i, 1)
    edits.change((document) => withMember(document, path, rest.length === 0 ? undefined : rest))
  }
  const add = () => {
    const next = { on: { event: '' }, within: 'P3D' }
    edits.change((document) => withInserted(document, path, entries.length, next))
  }
  const beside = problemBeside(entries.map((_, i) => [...path, i]))
  return (
    <div className={styles.form}>
      <div className={styles.list}>
        {numbered.map(({ i }) => (
          <Conversion key={i} i={i} onRemove={() => remove(i)} />
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
          disabledReason={
            entries.length < conversionsMax ? undefined : `A flow has at most ${conversionsMax} conversions.`
          }
          onClick={add}
        >
          <Plus size={16} aria-hidden />
          Add a conversion
        </Button>
      </div>
    </div>
  )
}

function Conversion({ i, onRemove }: { i: number; onRemove: () => void }) {
  const at = [...path, i]
  const { problemBeside } = useField(at)
  const beside = problemBeside(['name', 'on', 'within'].map((member) => [...at, member]))
  return (
    <fieldset
      className={`${styles.group} ${styles.item}`}
      aria-label={`Conversion ${i + 1}`}
      data-path={formatPath(at)}
    >
      <div className={styles.head}>
        <strong>Conversion {i + 1}</strong>
        <IconButton className={styles.end} label={`Remove conversion ${i + 1}`} onClick={onRemove}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      {beside !== undefined && (
        <p className={styles.problem} role="alert">
          {beside}
        </p>
      )}
      <div className={styles.grid}>
        <LineField path={[...at, 'name']} label="Name" placeholder={defaultNames[i] ?? ''} maxLength={255} />
        <DurationField path={[...at, 'within']} label="Within" />
      </div>
      <TriggerForm path={[...at, 'on']} allows="conversion" />
      <OtherMembers path={at} known={['name', 'on', 'within']} />
    </fieldset>
  )
}
