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

type Group = GetAdminSubscriptionGroupsIdReply['subscription_group']
type OptIn = NonNullable<Group['double_opt_in']>

const validHoursDefault = 48
const sendsDefault = 3
const keywordDefault = 'YES'
const keywordCharactersMax = 20
const replyCharactersMax = 320

/** How people of a channel are asked, in words. */
const words = {
  email: {
    off: 'Off. With it, people get a mail with a link, and are in the group when they have confirmed.',
    hours: 'The link works for',
    sends: 'Mails at most',
    check: 'People confirm by a link in a mail',
    hoursField: 'Hours for which the link works',
    bodyField: 'HTML of the mail',
    bodyHint: 'Empty: the built-in mail. The link is {{${confirmation_url}}}.',
    programs: 'Requests with use_double_opt_in_logic send the mail. Other requests subscribe at once.',
  },
  sms: {
    off: 'Off. With it, people get a text message, and are in the group when they have replied with a word.',
    hours: 'A reply counts for',
    sends: 'Texts at most',
    check: 'People confirm by a reply to a text message',
    hoursField: 'Hours for which a reply counts',
    bodyField: 'Text message that asks',
    bodyHint: 'Empty: the built-in text. The word to reply is {{${confirmation_keyword}}}.',
    programs: 'Requests with use_double_opt_in_logic send the text. Other requests subscribe at once.',
  },
} as const

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
  const { off, hours, sends } = words[channel]
  return (
    <Card title="Double opt-in">
      {optIn?.enabled ? (
        <Facts
          facts={[
            channel === 'email'
              ? { name: 'Sender', value: optIn.from ?? '' }
              : { name: 'Word to reply', value: optIn.keyword ?? keywordDefault },
            { name: hours, value: `${optIn.valid_hours ?? validHoursDefault} hours` },
            { name: sends, value: optIn.sends_max ?? sendsDefault },
            { name: 'Wait for a confirmation', value: counts.data ? formatCount(counts.data.pending) : '...' },
            { name: 'Have confirmed', value: counts.data ? formatCount(counts.data.confirmed) : '...' },
            { name: 'Were too late', value: counts.data ? formatCount(counts.data.expired) : '...' },
          ]}
        />
      ) : (
        <Note>{off}</Note>
      )}
      <div className={styles.buttons}>
        <Button disabledReason={reason} onClick={() => setIsOpen(true)}>
          {optIn?.enabled ? 'Change double opt-in' : 'Turn on double opt-in'}
        </Button>
      </div>
      {isOpen && <EditOptIn id={id} channel={channel} before={optIn} onClose={() => setIsOpen(false)} />}
    </Card>
  )
}

type Editing = { id: string; channel: Group['channel']; before: OptIn | undefined; onClose: () => void }

function EditOptIn({ id, channel, before, onClose }: Editing) {
  const { workspace } = useViewer()
  const [enabled, setEnabled] = useState(before?.enabled ?? true)
  const [own, setOwn] = useState(ownTexts(before))
  const [hours, setHours] = useState(String(before?.valid_hours ?? validHoursDefault))
  const [sends, setSends] = useState(String(before?.sends_max ?? sendsDefault))
  const [throughApi, setThroughApi] = useState(before?.through_api ?? false)
  const change = useWrite({
    request: (given: PatchAdminSubscriptionGroupsIdBody) =>
      patchAdminSubscriptionGroupsId(id, given, { workspace: workspace.id }),
    said: () => (enabled ? 'People of this group confirm from now on.' : 'People of this group need not confirm.'),
    onDone: onClose,
  })
  const said = words[channel]
  const save = () => {
    const limits = { valid_hours: Number(hours), sends_max: Number(sends) }
    change.mutate({
      double_opt_in: { ...withTexts(before, own, channel), ...limits, enabled, through_api: throughApi },
    })
  }
  return (
    <FormDialog
      title="Double opt-in"
      submit="Save"
      disabledReason={channel === 'email' && own.from.trim() === '' ? 'Say first who sends the mail.' : undefined}
      isPending={change.isPending}
      refusal={change.isError && <Refusal error={change.error} />}
      onSubmit={save}
      onClose={onClose}
    >
      <CheckField label={said.check} checked={enabled} onChange={setEnabled} />
      <OwnTexts channel={channel} texts={own} onChange={setOwn} />
      <TextField label={said.hoursField} type="number" min={1} max={720} value={hours} onChange={setHours} />
      <TextField label={said.sends} type="number" min={1} max={10} value={sends} onChange={setSends} />
      <CheckField label="Programs may ask, too" hint={said.programs} checked={throughApi} onChange={setThroughApi} />
    </FormDialog>
  )
}

/** Texts of a group. An empty one is the built-in one. */
type Texts = { from: string; subject: string; body: string; keyword: string; confirmed_reply: string }

/** The texts that a group of a channel can have. */
const textsOf: Readonly<Record<Group['channel'], readonly (keyof Texts)[]>> = {
  email: ['from', 'subject', 'body'],
  sms: ['keyword', 'body', 'confirmed_reply'],
}

function ownTexts(before: OptIn | undefined): Texts {
  const { from = '', subject = '', body = '', keyword = '', confirmed_reply = '' } = before ?? {}
  return { from, subject, body, keyword, confirmed_reply }
}

/** Returns what is stored with these texts. */
function withTexts(before: OptIn | undefined, texts: Texts, channel: Group['channel']): Partial<OptIn> {
  const kept = Object.entries(before ?? {}).filter(([name]) => !Object.hasOwn(texts, name))
  const given = textsOf[channel].filter((name) => texts[name].trim() !== '')
  return Object.fromEntries([...kept, ...given.map((name) => [name, texts[name]])])
}

type Edited = { channel: Group['channel']; texts: Texts; onChange: (texts: Texts) => void }

function OwnTexts({ channel, texts, onChange }: Edited) {
  const { bodyField, bodyHint } = words[channel]
  const set = (name: keyof Texts) => (text: string) => onChange({ ...texts, [name]: text })
  const body = (
    <TextArea
      label={bodyField}
      hint={bodyHint}
      mono={channel === 'email'}
      rows={4}
      value={texts.body}
      onChange={set('body')}
    />
  )
  if (channel === 'email') {
    return (
      <>
        <TextField
          label="Sender"
          hint="Such as Studio Loom <hello@example.com>."
          value={texts.from}
          onChange={set('from')}
        />
        <TextField label="Subject" placeholder="built in" value={texts.subject} onChange={set('subject')} />
        {body}
      </>
    )
  }
  return (
    <>
      <TextField
        label="Word to reply"
        hint="Capitals, accents and marks do not matter. STOP, START and HELP have their own meaning."
        placeholder={keywordDefault}
        maxLength={keywordCharactersMax}
        value={texts.keyword}
        onChange={set('keyword')}
      />
      {body}
      <TextArea
        label="Answer to the reply"
        hint="Empty: the built-in text. {group} is the name of the group."
        rows={2}
        maxLength={replyCharactersMax}
        value={texts.confirmed_reply}
        onChange={set('confirmed_reply')}
      />
    </>
  )
}
