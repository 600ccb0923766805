import type { Path } from '../../draft/path.ts'
import { DurationField, LineField, OtherMembers } from './fields.tsx'
import styles from './flow-forms.module.css'
import { useField } from './form-context.ts'
import { ListRows, Problem } from './rows.tsx'
import { TriggerForm } from './trigger-form.tsx'

const conversionsMax = 4
const defaultNames = ['A', 'B', 'C', 'D'].map((letter) => `Primary Conversion Event - ${letter}`)
const members = ['name', 'on', 'within']

/** What people shall do because of a flow, and within which time. Each conversion is counted for each variant. */
export function ConversionsForm() {
  return (
    <div className={styles.form}>
      <ListRows
        path={['conversions']}
        name="conversion"
        add="Add a conversion"
        begin={{ on: { event: '' }, within: 'P3D' }}
        max={conversionsMax}
      >
        {(at, i) => <Conversion at={at} defaultName={defaultNames[i] ?? ''} />}
      </ListRows>
    </div>
  )
}

function Conversion({ at, defaultName }: { at: Path; defaultName: string }) {
  const { problemBeside } = useField(at)
  return (
    <>
      <Problem text={problemBeside(members.map((member) => [...at, member]))} />
      <div className={styles.grid}>
        <LineField path={[...at, 'name']} label="Name" placeholder={defaultName} maxLength={255} />
        <DurationField path={[...at, 'within']} label="Within" />
      </div>
      <TriggerForm path={[...at, 'on']} allows="conversion" />
      <OtherMembers path={at} known={members} />
    </>
  )
}
