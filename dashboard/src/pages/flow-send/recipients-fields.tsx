import { useQuery } from '@tanstack/react-query'
import { getAdminSegments } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { ChoiceField, TextArea, TextField } from '../../ui/form.tsx'
import { linesOf, listedMax, type RecipientChoice, recipientsReason, type SendChoice } from './send-order.ts'

type FieldsProps = { choice: SendChoice; onChange: (some: Partial<SendChoice>) => void }

const choices: readonly { readonly value: RecipientChoice; readonly label: string }[] = [
  { value: 'everybody', label: 'Everybody it is for' },
  { value: 'segment', label: 'Those of them who are in a segment' },
  { value: 'listed', label: 'Those of them who are named here' },
]

/** Who gets a send. All of it is within the audience of the flow. */
export function RecipientsFields({ choice, onChange }: FieldsProps) {
  const { recipients, listed } = choice
  const isTooLong = linesOf(listed).length > listedMax
  return (
    <>
      <ChoiceField
        label="Recipients"
        value={recipients}
        options={choices}
        onChange={(next) => onChange({ recipients: next as RecipientChoice })}
      />
      {recipients === 'segment' && <SegmentField choice={choice} onChange={onChange} />}
      {recipients === 'listed' && (
        <TextArea
          label="External ids or e-mail addresses, one a line"
          rows={4}
          value={listed}
          problem={isTooLong ? recipientsReason(choice) : undefined}
          onChange={(next) => onChange({ listed: next })}
        />
      )}
    </>
  )
}

function SegmentField({ choice: { segment }, onChange }: FieldsProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminSegments({ workspace: workspace.id })))
  const set = (next: string) => onChange({ segment: next })
  if (read.isError) return <TextField label="Id of the segment" value={segment} onChange={set} />
  const segments = read.data?.segments ?? []
  const none = read.isPending ? 'One moment' : segments.length === 0 ? 'There are no segments yet' : 'Choose one'
  const options = [{ value: '', label: none }, ...segments.map(({ id, name }) => ({ value: id, label: name }))]
  return <ChoiceField label="Segment" value={segment} options={options} onChange={set} />
}
