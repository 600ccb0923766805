import { useState } from 'react'
import { CallError } from '../../api/errors.ts'
import {
  type GetAdminPeopleIdReply,
  type PostAdminPeopleIdTrackReply,
  postAdminPeopleIdTrack,
} from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, TextArea, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './edit-dialog.module.css'
import {
  type AttributeDraft,
  type AttributeType,
  byField,
  changesOf,
  draftOf,
  type PersonDraft,
  type StandardField,
  standardFields,
} from './person-draft.ts'

const labels: Readonly<Record<StandardField, string>> = {
  first_name: 'First name',
  last_name: 'Last name',
  email: 'E-mail address',
  phone: 'Phone number',
  gender: 'Gender',
  dob: 'Date of birth',
  country: 'Country',
  home_city: 'City',
  language: 'Language',
  time_zone: 'Time zone',
  email_subscribe: 'Mail',
  push_subscribe: 'Push',
}

const hints: { readonly [field in StandardField]?: string } = {
  phone: 'With the country code, such as +15550100200',
  dob: 'Year, month and day, such as 1990-12-31',
  country: 'Two letters, such as NL',
  language: 'Two letters, such as en',
  time_zone: 'Such as Europe/Berlin',
}

const states = [
  { value: 'opted_in', label: 'opted in' },
  { value: 'subscribed', label: 'subscribed' },
  { value: 'unsubscribed', label: 'unsubscribed' },
]
const genders = [
  { value: '', label: 'not set' },
  { value: 'F', label: 'female' },
  { value: 'M', label: 'male' },
  { value: 'O', label: 'other' },
  { value: 'N', label: 'not applicable' },
  { value: 'P', label: 'prefers not to say' },
]
const choices: { readonly [field in StandardField]?: readonly { value: string; label: string }[] } = {
  email_subscribe: states,
  push_subscribe: states,
  gender: genders,
}

type Notice = NonNullable<PostAdminPeopleIdTrackReply['notices']>[number]

type EditDialogProps = {
  reply: GetAdminPeopleIdReply
  /** What was typed before and not sent. */
  typed: PersonDraft | undefined
  onTyped: (draft: PersonDraft | undefined) => void
  onClose: () => void
}

/** A form for the attributes of a person. It sends what was changed, and stays open until all of that is kept. */
export function EditDialog({ reply, typed, onTyped, onClose }: EditDialogProps) {
  const { workspace } = useViewer()
  const [saved, setSaved] = useState(() => draftOf(reply))
  const draft = typed ?? saved
  const [notices, setNotices] = useState<readonly Notice[]>([])
  const changes = changesOf(draft, saved)
  const names = [...Object.keys(changes.attributes), ...standardFields]
  const write = useWrite({
    request: (attributes: Readonly<Record<string, unknown>>) =>
      postAdminPeopleIdTrack(reply.person.id, { attributes }, { workspace: workspace.id }),
    onDone: (answer) => {
      const lost = answer.notices ?? []
      setNotices(lost)
      if (lost.length > 0) {
        setSaved(draft)
        return
      }
      onTyped(undefined)
      onClose()
    },
    said: (answer) => (answer.notices ? 'Saved, but not everything was kept.' : 'Saved.'),
  })
  const refused = write.error instanceof CallError ? byField(write.error.errors, names) : undefined
  const problemOf = (name: string) => {
    const notice = notices.find(({ member }) => member === name || member.startsWith(`${name}.`))
    return refused?.problems[name] ?? (notice && `Not kept: it ${notice.reason}.`)
  }
  const others = notices.filter(({ member }) => !names.includes(member) && !(member in draft.standard))
  return (
    <FormDialog
      title="Edit attributes"
      submit="Save"
      disabledReason={reasonOf(changes)}
      isPending={write.isPending}
      refusal={write.isError ? <Refusal error={write.error} /> : others.map(noticeText).join(' ')}
      onSubmit={() => write.mutate(changes.attributes)}
      onClose={onClose}
    >
      {reasonOf(changes) !== nothingChanged && <Button onClick={() => onTyped(undefined)}>Discard changes</Button>}
      <div className={styles.fields}>
        {standardFields.map((field) => (
          <Standard
            key={field}
            field={field}
            value={draft.standard[field]}
            problem={problemOf(field)}
            onChange={(value) => onTyped({ ...draft, standard: { ...draft.standard, [field]: value } })}
          />
        ))}
      </div>
      <Custom draft={draft} problems={changes.problems} problemOf={problemOf} onChange={onTyped} />
    </FormDialog>
  )
}

function noticeText({ member, reason }: Notice): string {
  return `${member} ${reason}.`
}

const nothingChanged = 'Nothing was changed.'

function reasonOf({ attributes, problems }: ReturnType<typeof changesOf>): string | undefined {
  if (Object.keys(problems).length > 0) return 'A value cannot be read as its type.'
  return Object.keys(attributes).length === 0 ? nothingChanged : undefined
}

type StandardProps = {
  field: StandardField
  value: string
  problem: string | undefined
  onChange: (value: string) => void
}

function Standard({ field, value, problem, onChange }: StandardProps) {
  const options = choices[field]
  const shared = { label: labels[field], problem, value, onChange, ...(hints[field] && { hint: hints[field] }) }
  return options ? <ChoiceField {...shared} options={options} /> : <TextField {...shared} />
}

const typeLabels: Readonly<Record<AttributeType, string>> = {
  text: 'Text',
  number: 'Number',
  yes_no: 'Yes or no',
  json: 'JSON',
}
const typeOptions = Object.entries(typeLabels).map(([value, label]) => ({ value, label }))
const yesNo = [
  { value: 'true', label: 'yes' },
  { value: 'false', label: 'no' },
]

type CustomProps = {
  draft: PersonDraft
  problems: Readonly<Record<string, string>>
  problemOf: (name: string) => string | undefined
  onChange: (draft: PersonDraft) => void
}

function Custom({ draft, problems, problemOf, onChange }: CustomProps) {
  const change = (key: string, some: Partial<AttributeDraft>) =>
    onChange({ ...draft, custom: draft.custom.map((row) => (row.key === key ? { ...row, ...some } : row)) })
  const add = () => {
    const key = `new ${draft.custom.length}`
    onChange({ ...draft, custom: [...draft.custom, { key, name: '', type: 'text', text: '', isRemoved: false }] })
  }
  return (
    <fieldset className={styles.custom}>
      <legend>Custom attributes</legend>
      {draft.custom.map((row) => (
        <CustomRow
          key={row.key}
          row={row}
          problem={problems[row.key] ?? problemOf(row.name.trim())}
          onChange={(some) => change(row.key, some)}
        />
      ))}
      <Button onClick={add}>Add an attribute</Button>
    </fieldset>
  )
}

type CustomRowProps = {
  row: AttributeDraft
  problem: string | undefined
  onChange: (some: Partial<AttributeDraft>) => void
}

function CustomRow({ row, problem, onChange }: CustomRowProps) {
  const { key, name, type, text, isRemoved } = row
  const isNew = key.startsWith('new ')
  const label = name === '' ? 'the new attribute' : name
  if (isRemoved) {
    return (
      <div className={styles.removed}>
        <span dir="auto">{label} is removed.</span>
        <Button onClick={() => onChange({ isRemoved: false })}>Keep it</Button>
      </div>
    )
  }
  const setType = (value: string) =>
    onChange({ type: value as AttributeType, ...(value === 'yes_no' && { text: 'true' }) })
  const shared = {
    label: isNew ? 'Value' : name,
    problem,
    value: text,
    onChange: (value: string) => onChange({ text: value }),
  }
  return (
    <div className={styles.row}>
      {isNew && <TextField label="Name" value={name} maxLength={255} onChange={(value) => onChange({ name: value })} />}
      <ChoiceField label={`Type of ${label}`} value={type} options={typeOptions} onChange={setType} />
      {type === 'yes_no' && <ChoiceField {...shared} options={yesNo} />}
      {type === 'json' && <TextArea {...shared} mono rows={3} />}
      {(type === 'text' || type === 'number') && <TextField {...shared} />}
      <Button look="quiet" aria-label={`Remove ${label}`} onClick={() => onChange({ isRemoved: true })}>
        Remove
      </Button>
    </div>
  )
}
