import { useState } from 'react'
import { type GetAdminSuppressionsReply, postAdminSuppressions } from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { ChoiceField, TextArea, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

export type Reason = GetAdminSuppressionsReply['suppressions'][number]['reason']

export const reasons: Readonly<Record<Reason, string>> = {
  blocklist: 'blocked on request',
  hard_bounce: 'bounced for good',
  soft_bounces: 'bounced too often',
  spam: 'reported as spam',
}

const choices = Object.entries(reasons).map(([value, label]) => ({ value, label }))

/** Adds addresses to which nothing is sent from then on. */
export function NewSuppression({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const [addresses, setAddresses] = useState('')
  const [reason, setReason] = useState<string>('blocklist')
  const [told, setTold] = useState('')
  const email = addresses.split(/[\s,;]+/).filter((address) => address !== '')
  const add = useWrite({
    request: () =>
      postAdminSuppressions(
        { email, reason: reason as Reason, ...(told.trim() !== '' && { told: told.trim() }) },
        { workspace: workspace.id },
      ),
    said: () => 'Nothing is sent to these addresses any more.',
    onDone: onClose,
  })
  return (
    <FormDialog
      title="Add addresses"
      submit="Add"
      disabledReason={email.length === 0 ? 'Type an address first.' : undefined}
      isPending={add.isPending}
      refusal={add.isError && <Refusal error={add.error} />}
      onSubmit={() => add.mutate(undefined)}
      onClose={onClose}
    >
      <TextArea label="Addresses" hint="One a line." rows={4} value={addresses} onChange={setAddresses} />
      <ChoiceField label="Reason" value={reason} options={choices} onChange={setReason} />
      <TextField
        label="Why"
        hint="For your colleagues, such as the request of the person."
        value={told}
        maxLength={500}
        onChange={setTold}
      />
    </FormDialog>
  )
}
