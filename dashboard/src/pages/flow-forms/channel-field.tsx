import { ChoiceField } from '../../ui/form.tsx'
import { useFlowForm } from './form-context.ts'

export type ChannelName = 'email' | 'sms'
const channels = [
  { value: 'email', label: 'E-mail' },
  { value: 'sms', label: 'Text message' },
] as const

type ChannelFieldProps = { value: ChannelName; onChange: (next: ChannelName) => void }

/** How a message is sent. Another channel begins with an empty message. */
export function ChannelField({ value, onChange }: ChannelFieldProps) {
  const { readOnly } = useFlowForm()
  if (readOnly !== undefined) return null
  return (
    <ChoiceField
      label="Sent as"
      options={channels}
      value={value}
      onChange={(next) => onChange(next === 'sms' ? 'sms' : 'email')}
    />
  )
}
