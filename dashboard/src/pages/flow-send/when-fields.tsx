import { useViewer } from '../../frame/viewer.tsx'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { fieldTimeIn } from '../../words/times.ts'
import type { SendChoice, When } from './send-order.ts'

const choices: readonly { readonly value: When; readonly label: string }[] = [
  { value: 'now', label: 'Now' },
  { value: 'at', label: 'At a time' },
  { value: 'local', label: "At a time in everybody's own time zone" },
  { value: 'optimal', label: "On a day, at everybody's best hour" },
]

const soonMs = 3_600_000

type WhenFieldsProps = { choice: SendChoice; onChange: (some: Partial<SendChoice>) => void }

/** When a send is due. */
export function WhenFields({ choice: { when, time, day }, onChange }: WhenFieldsProps) {
  const { zone, zoneLabel, now } = useViewer()
  const choose = (next: When) => {
    // Begins with a full hour that is not far.
    const soon = fieldTimeIn(zone, new Date(now().getTime() + soonMs)).slice(0, 13)
    onChange({ when: next, time: time === '' ? `${soon}:00` : time, day: day === '' ? soon.slice(0, 10) : day })
  }
  return (
    <>
      <ChoiceField label="When" value={when} options={choices} onChange={(next) => choose(next as When)} />
      {(when === 'at' || when === 'local') && (
        <TextField
          label={
            when === 'at'
              ? `Day and time, in ${zoneLabel === zone ? zone : `${zoneLabel} (${zone})`}`
              : "Day and time, as everybody's clock shows it"
          }
          type="datetime-local"
          value={time}
          onChange={(next) => onChange({ time: next })}
        />
      )}
      {when === 'optimal' && (
        <TextField
          label="Day"
          hint="The best hour of a person is computed from when they open mail."
          type="date"
          value={day}
          onChange={(next) => onChange({ day: next })}
        />
      )}
    </>
  )
}
