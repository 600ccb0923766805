import { useState } from 'react'
import { CallError } from '../../api/errors.ts'
import { postAdminPeopleIdTrack } from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { ChoiceField, TextArea, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { byField } from './person-draft.ts'

const kinds = [
  { value: 'event', label: 'Event' },
  { value: 'purchase', label: 'Purchase' },
]

/** A form that records an event or a purchase of a person. */
export function RecordDialog({ id, onClose }: { id: string; onClose: () => void }) {
  const { workspace, now } = useViewer()
  const [kind, setKind] = useState('event')
  const [name, setName] = useState('')
  const [time, setTime] = useState(() => now().toISOString())
  const [price, setPrice] = useState('')
  const [currency, setCurrency] = useState('')
  const [properties, setProperties] = useState('')
  const isEvent = kind === 'event'
  const read = readJson(properties)
  const write = useWrite({
    request: () => {
      const shared = { time, ...(read.value !== undefined && { properties: read.value }) }
      const purchase = { ...shared, product_id: name.trim(), currency: currency.trim(), price: Number(price) }
      const body = isEvent ? { events: [{ ...shared, name: name.trim() }] } : { purchases: [purchase] }
      return postAdminPeopleIdTrack(id, body, { workspace: workspace.id })
    },
    said: ({ notices }) =>
      notices ? `Recorded, but ${notices[0]?.member} ${notices[0]?.reason}.` : `The ${kind} was recorded.`,
    onDone: onClose,
  })
  const fields = ['name', 'product_id', 'time', 'price', 'currency', 'properties']
  const problems = write.error instanceof CallError ? byField(write.error.errors, fields).problems : {}
  return (
    <FormDialog
      title="Record an event or a purchase"
      submit="Record"
      disabledReason={read.problem ?? (name.trim() === '' ? 'It needs a name.' : undefined)}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <ChoiceField label="What happened" value={kind} options={kinds} onChange={setKind} />
      <TextField
        label={isEvent ? 'Name of the event' : 'Product'}
        problem={isEvent ? problems.name : problems.product_id}
        value={name}
        onChange={setName}
      />
      {!isEvent && (
        <>
          <TextField label="Price" inputMode="decimal" problem={problems.price} value={price} onChange={setPrice} />
          <TextField
            label="Currency"
            hint="Such as EUR"
            problem={problems.currency}
            value={currency}
            onChange={setCurrency}
          />
        </>
      )}
      <TextField label="Time" hint="With a time zone" mono problem={problems.time} value={time} onChange={setTime} />
      <TextArea
        label="Properties"
        hint="A JSON object, or nothing"
        mono
        rows={3}
        problem={read.problem ?? problems.properties}
        value={properties}
        onChange={setProperties}
      />
    </FormDialog>
  )
}

function readJson(text: string): { readonly value?: { readonly [name: string]: unknown }; readonly problem?: string } {
  if (text.trim() === '') return {}
  try {
    return { value: JSON.parse(text) as { readonly [name: string]: unknown } }
  } catch {
    // The reader is still typing, or has made a mistake.
    return { problem: 'This is not JSON.' }
  }
}
