import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type GetAdminSubscriptionGroupsIdReply,
  getAdminSubscriptionGroupsId,
  getAdminSubscriptionGroupsIdConfirmationCounts,
  type PatchAdminSubscriptionGroupsIdBody,
  patchAdminSubscriptionGroupsId,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { CheckField, TextArea, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './groups.module.css'

type OptIn = NonNullable<GetAdminSubscriptionGroupsIdReply['subscription_group']['double_opt_in']>

const validHoursDefault = 48
const sendsDefault = 3

/** Whether people confirm that they want to be in the group, and how many have. */
export function DoubleOptInCard({ id }: { id: string }) {
  const { workspace } = useViewer()
  const reason = useReason('subscription_groups.edit')
  const [isOpen, setIsOpen] = useState(false)
  const read = useQuery(reading(getAdminSubscriptionGroupsId(id, { workspace: workspace.id })))
  const counts = useQuery(reading(getAdminSubscriptionGroupsIdConfirmationCounts(id, { workspace: workspace.id })))
  if (read.data === undefined) {
    return (
      <Card title="Double opt-in">
        <NoAnswer read={read} what="the group" />
      </Card>
    )
  }
  const { double_opt_in: optIn, channel } = read.data.subscription_group
  if (channel !== 'email') return null
  return (
    <Card title="Double opt-in">
      {optIn?.enabled ? (
        <Facts
          facts={[
            { name: 'Sender', value: optIn.from },
            { name: 'The link works for', value: `${optIn.valid_hours ?? validHoursDefault} hours` },
            { name: 'Mails at most', value: optIn.sends_max ?? sendsDefault },
            { name: 'Wait for a confirmation', value: counts.data ? formatCount(counts.data.pending) : '...' },
            { name: 'Have confirmed', value: counts.data ? formatCount(counts.data.confirmed) : '...' },
            { name: 'Were too late', value: counts.data ? formatCount(counts.data.expired) : '...' },
          ]}
        />
      ) : (
        <Note>Off. With it, people get a mail with a link, and are in the group when they have confirmed.</Note>
      )}
      <div className={styles.buttons}>
        <Button disabledReason={reason} onClick={() => setIsOpen(true)}>
          {optIn?.enabled ? 'Change double opt-in' : 'Turn on double opt-in'}
        </Button>
      </div>
      {isOpen && <EditOptIn id={id} before={optIn} onClose={() => setIsOpen(false)} />}
    </Card>
  )
}

function EditOptIn({ id, before, onClose }: { id: string; before: OptIn | undefined; onClose: () => void }) {
  const { workspace } = useViewer()
  const [enabled, setEnabled] = useState(before?.enabled ?? true)
  const [from, setFrom] = useState(before?.from ?? '')
  const [subject, setSubject] = useState(before?.subject ?? '')
  const [body, setBody] = useState(before?.body ?? '')
  const [hours, setHours] = useState(String(before?.valid_hours ?? validHoursDefault))
  const [sends, setSends] = useState(String(before?.sends_max ?? sendsDefault))
  const [throughApi, setThroughApi] = useState(before?.through_api ?? false)
  const change = useWrite({
    request: (given: PatchAdminSubscriptionGroupsIdBody) =>
      patchAdminSubscriptionGroupsId(id, given, { workspace: workspace.id }),
    said: () => (enabled ? 'People of this group confirm from now on.' : 'People of this group need not confirm.'),
    onDone: onClose,
  })
  const { subject: _subject, body: _body, ...kept } = before ?? {}
  const save = () => {
    const texts = { ...(subject.trim() && { subject }), ...(body.trim() && { body }) }
    const limits = { valid_hours: Number(hours), sends_max: Number(sends) }
    change.mutate({ double_opt_in: { ...kept, ...texts, ...limits, enabled, from, through_api: throughApi } })
  }
  return (
    <FormDialog
      title="Double opt-in"
      submit="Save"
      disabledReason={from.trim() === '' ? 'Say first who sends the mail.' : undefined}
      isPending={change.isPending}
      refusal={change.isError && <Refusal error={change.error} />}
      onSubmit={save}
      onClose={onClose}
    >
      <CheckField label="People confirm by a link in a mail" checked={enabled} onChange={setEnabled} />
      <TextField label="Sender" hint="Such as Studio Loom <hello@example.com>." value={from} onChange={setFrom} />
      <TextField label="Subject" placeholder="built in" value={subject} onChange={setSubject} />
      <TextArea
        label="HTML of the mail"
        hint="Empty: the built-in mail. The link is {{${confirmation_url}}}."
        mono
        rows={4}
        value={body}
        onChange={setBody}
      />
      <TextField
        label="Hours for which the link works"
        type="number"
        min={1}
        max={720}
        value={hours}
        onChange={setHours}
      />
      <TextField label="Mails at most" type="number" min={1} max={10} value={sends} onChange={setSends} />
      <CheckField
        label="Programs may ask, too"
        hint="Requests with use_double_opt_in_logic send the mail. Other requests subscribe at once."
        checked={throughApi}
        onChange={setThroughApi}
      />
    </FormDialog>
  )
}
