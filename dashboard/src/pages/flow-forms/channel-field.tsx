import { ChoiceField } from '../../ui/form.tsx'
import { type ChannelName, channelNamed, channels } from './channel-names.ts'
import { useFlowForm } from './form-context.ts'

type ChannelFieldProps = { value: ChannelName; onChange: (next: ChannelName) => void }

/** How a message is sent. Another channel begins with an empty message. */
export function ChannelField({ value, onChange }: ChannelFieldProps) {
  const { readOnly } = useFlowForm()
  if (readOnly !== undefined) return null
  return (
    <ChoiceField label="Sent as" options={channels} value={value} onChange={(next) => onChange(channelNamed(next))} />
  )
}
