import { flowShapes } from '../../api/flow-shapes.ts'
import type { Path } from '../../draft/path.ts'
import { DurationField, LineField, OtherMembers } from './fields.tsx'
import { flowFields } from './flow-fields.ts'
import styles from './flow-forms.module.css'
import { useField } from './form-context.ts'
import { ListRows, Problem } from './rows.tsx'
import { TriggerForm } from './trigger-form.tsx'

const defaultNames = ['A', 'B', 'C', 'D'].map((letter) => `Primary Conversion Event - ${letter}`)

/** What people shall do because of a flow, and within which time. Each conversion is counted for each variant. */
export function ConversionsForm() {
  return (
    <div className={styles.form}>
      <ListRows
        path={['conversions']}
        name="conversion"
        add="Add a conversion"
        begin={{ on: { event: '' }, within: 'P3D' }}
        max={flowShapes.canvas.conversions.maxItems}
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
      <Problem text={problemBeside(flowFields.flow_conversion.map((member) => [...at, member]))} />
      <div className={styles.grid}>
        <LineField path={[...at, 'name']} label="Name" placeholder={defaultName} of={flowShapes.flow_conversion.name} />
        <DurationField path={[...at, 'within']} label="Within" />
      </div>
      <TriggerForm path={[...at, 'on']} allows="conversion" />
      <OtherMembers path={at} of="flow_conversion" />
    </>
  )
}
