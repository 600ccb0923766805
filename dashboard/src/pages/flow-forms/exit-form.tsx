import { flowShapes } from '../../api/flow-shapes.ts'
import { AudienceForm } from './audience-form.tsx'
import { OtherMembers } from './fields.tsx'
import styles from './flow-forms.module.css'
import { ListRows } from './rows.tsx'
import { TriggerForm } from './trigger-form.tsx'

const path = ['exit']

/** What makes people leave a flow early: events and purchases, or conditions that become true. */
export function ExitForm() {
  return (
    <div className={styles.form}>
      <div className={styles.group}>
        <span className={styles.label}>They leave early when they do one of these</span>
        <ListRows
          path={[...path, 'events']}
          name="exit"
          add="Add an event that ends it"
          begin=""
          max={flowShapes.flow_exit.events.maxItems}
        >
          {(at) => <TriggerForm path={at} allows="next" />}
        </ListRows>
      </div>
      <AudienceForm path={path} label="They leave early when this is true" none="Nothing" />
      <OtherMembers path={path} of="flow_exit" />
    </div>
  )
}
