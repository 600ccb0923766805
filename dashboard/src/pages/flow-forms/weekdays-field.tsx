import { flowShapes } from '../../api/flow-shapes.ts'
import { formatPath, type Path } from '../../draft/path.ts'
import styles from './flow-forms.module.css'
import { useField } from './form-context.ts'

const days = flowShapes.flow_recurrence.days.choices
const labels: Readonly<Record<(typeof days)[number], string>> = {
  mon: 'Monday',
  tue: 'Tuesday',
  wed: 'Wednesday',
  thu: 'Thursday',
  fri: 'Friday',
  sat: 'Saturday',
  sun: 'Sunday',
}

/** Some days of the week. None ticked is every day. */
export function WeekdaysField({ path, label }: { path: Path; label: string }) {
  const { value, problem, set } = useField(path)
  const chosen: readonly unknown[] = Array.isArray(value) ? value : []
  const toggle = (day: string, isOn: boolean) => {
    const next = days.filter((each) => (each === day ? isOn : chosen.includes(each)))
    set(next.length === 0 ? undefined : next)
  }
  return (
    <fieldset className={styles.group} data-path={formatPath(path)} aria-invalid={problem !== undefined || undefined}>
      <legend className={styles.label}>{label}</legend>
      <div className={styles.checks}>
        {days.map((day) => (
          <label key={day} className={styles.check}>
            <input
              type="checkbox"
              checked={chosen.includes(day)}
              onChange={(event) => toggle(day, event.target.checked)}
            />
            {labels[day]}
          </label>
        ))}
      </div>
      {chosen.length === 0 && <span className={styles.hint}>Every day, as none is ticked.</span>}
      {problem !== undefined && (
        <span className={styles.problem} role="alert">
          {problem}
        </span>
      )}
    </fieldset>
  )
}
