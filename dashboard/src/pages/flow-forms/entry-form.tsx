import { useRef } from 'react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { formatPath } from '../../draft/path.ts'
import { CheckField, ChoiceField } from '../../ui/form.tsx'
import { againOf, type Way, ways, waysOf, withWay } from './entry.ts'
import { ClockField, DateField, DurationField, OtherMembers, WeekdaysField, ZoneField } from './fields.tsx'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { type Members, membersAt, withMember } from './members.ts'
import { Problem } from './rows.tsx'
import { TriggerForm } from './trigger-form.tsx'

const path = ['entry']

const labels: Readonly<Record<Way, { readonly label: string; readonly hint: string }>> = {
  api: { label: 'When it is sent', hint: 'From this page, or by a request to the API.' },
  event: { label: 'When they do something', hint: 'An event or a purchase makes the person enter.' },
  schedule: { label: 'At set times', hint: 'On days at a time, again and again.' },
}

/** When people enter a flow, and how often they may. */
export function EntryForm() {
  const { kind, edits } = useFlowForm()
  const { problemBeside } = useField(path)
  const kept = useRef<Members>({})
  const entry = membersAt(edits.document, path)
  const chosen = waysOf(entry)
  const toggle = (way: Way, isOn: boolean) => {
    if (!isOn) kept.current = { ...kept.current, [way]: entry[way] }
    const next = withWay(entry, way, isOn, kept.current)
    edits.change((document) => withMember(document, path, Object.keys(next).length === 0 ? undefined : next))
  }
  const beside = problemBeside(['event', 'schedule', 'again'].map((member) => [...path, member]))
  return (
    <div className={styles.form}>
      <fieldset className={styles.group} data-path="entry">
        <legend className={styles.label}>People enter</legend>
        {ways.map((way) => (
          <CheckField
            key={way}
            {...labels[way]}
            checked={chosen.includes(way)}
            onChange={(isOn) => toggle(way, isOn)}
          />
        ))}
        <Problem text={beside} />
      </fieldset>
      {chosen.includes('event') && (
        <fieldset className={styles.group}>
          <legend className={styles.label}>What they do to enter</legend>
          <TriggerForm path={[...path, 'event']} allows="first" />
        </fieldset>
      )}
      {chosen.includes('schedule') && <ScheduleForm />}
      <AgainForm otherwise={kind === 'canvas' ? 'never' : 'always'} />
      <OtherMembers path={path} of="flow_entry" />
    </div>
  )
}

const schedule = [...path, 'schedule']

/** The times at which people enter, again and again. */
function ScheduleForm() {
  return (
    <fieldset className={styles.group}>
      <legend className={styles.label}>When it is carried out</legend>
      <div className={styles.grid}>
        <ClockField path={[...schedule, 'at']} label="Time of day" />
        <ZoneField path={[...schedule, 'zone']} label="Time zone" />
        <DateField path={[...schedule, 'from']} label="First day" />
        <DateField path={[...schedule, 'until']} label="Last day" />
      </div>
      <WeekdaysField path={[...schedule, 'days']} label="Days" />
      <OtherMembers path={schedule} of="flow_recurrence" />
    </fieldset>
  )
}

type AgainWord = (typeof flowShapes.flow_entry.again.choices)[number]

const again = [...path, 'again']
const againLabels: Readonly<Record<AgainWord, string>> = {
  never: 'Once only',
  always: 'As often as it happens',
}
const choices = [
  ...flowShapes.flow_entry.again.choices.map((value) => ({ value, label: againLabels[value] })),
  { value: 'after', label: 'Again after some time' },
]

/** How often one person may enter. */
function AgainForm({ otherwise }: { otherwise: AgainWord }) {
  const { edits } = useFlowForm()
  const { value, problemBeside } = useField(again)
  const word = againOf(value, otherwise)
  const after = [...again, 'after']
  const write = (next: string) => {
    const rule = next === 'after' ? { after: 'P30D' } : next === otherwise ? undefined : next
    edits.change((document) => withMember(document, again, rule), formatPath(again))
  }
  const isOffered = choices.some((choice) => choice.value === word)
  return (
    <div className={styles.grid} data-path={formatPath(again)}>
      <ChoiceField
        label="How often one person may enter"
        value={word}
        options={isOffered ? choices : [...choices, { value: word, label: word }]}
        problem={problemBeside([after])}
        onChange={write}
      />
      {word === 'after' && <DurationField path={after} label="After" />}
    </div>
  )
}
