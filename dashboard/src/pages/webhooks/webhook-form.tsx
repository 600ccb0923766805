import { useState } from 'react'
import {
  type PostAdminWebhooksBody,
  type PostAdminWebhooksReply,
  patchAdminWebhooksId,
  postAdminWebhooks,
} from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { CheckField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SecretDialog } from '../../ui/secret-dialog.tsx'
import { eventWords, type Webhook } from './webhook.ts'
import styles from './webhooks.module.css'

const nameCharactersMax = 255
const urlCharactersMax = 2048

/** Makes a webhook, and shows its secret once. */
export function NewWebhook({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const [made, setMade] = useState<PostAdminWebhooksReply['webhook']>()
  const make = useWrite({
    request: (body: PostAdminWebhooksBody) => postAdminWebhooks(body, { workspace: workspace.id }),
    onDone: ({ webhook }) => setMade(webhook),
  })
  if (made) return <MadeSecret name={made.name} secret={made.secret ?? ''} onClose={onClose} />
  return (
    <WebhookForm
      title="New webhook"
      submit="Make the webhook"
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={(body) => make.mutate(body)}
      onClose={onClose}
    />
  )
}

/** Changes the name, the address or the events of a webhook. */
export function ChangeWebhook({ webhook, onClose }: { webhook: Webhook; onClose: () => void }) {
  const { workspace } = useViewer()
  const change = useWrite({
    request: (body: PostAdminWebhooksBody) => patchAdminWebhooksId(webhook.id, body, { workspace: workspace.id }),
    said: ({ webhook: { name } }) => `The webhook "${name}" is changed.`,
    onDone: onClose,
  })
  return (
    <WebhookForm
      title={`Change the webhook "${webhook.name}"`}
      submit="Change it"
      before={webhook}
      isPending={change.isPending}
      refusal={change.isError && <Refusal error={change.error} />}
      onSubmit={(body) => change.mutate(body)}
      onClose={onClose}
    />
  )
}

type MadeSecretProps = { name: string; secret: string; onClose: () => void }

/** The secret of a webhook, this once. */
export function MadeSecret({ name, secret, onClose }: MadeSecretProps) {
  return (
    <SecretDialog
      label="The secret of the webhook"
      title={`The secret of "${name}"`}
      sentence="This is the only time that it is shown. The program that gets the events checks with it that they come from here."
      secret={secret}
      what="the secret"
      onClose={onClose}
    />
  )
}

type WebhookFormProps = {
  title: string
  submit: string
  before?: Webhook
  isPending: boolean
  refusal: React.ReactNode
  onSubmit: (body: PostAdminWebhooksBody) => void
  onClose: () => void
}

function WebhookForm({ title, submit, before, isPending, refusal, onSubmit, onClose }: WebhookFormProps) {
  const [name, setName] = useState(before?.name ?? '')
  const [url, setUrl] = useState(before?.url ?? '')
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(before?.event_types ?? []))
  const [isAll, setIsAll] = useState((before?.event_types ?? []).length === 0)
  const types = isAll ? [] : Object.keys(eventWords).filter((type) => chosen.has(type))
  return (
    <FormDialog
      title={title}
      submit={submit}
      disabledReason={reasonOf(name, url, isAll || types.length > 0)}
      isPending={isPending}
      refusal={refusal}
      onSubmit={() =>
        onSubmit({
          name: name.trim(),
          url: url.trim(),
          event_types: types as NonNullable<PostAdminWebhooksBody['event_types']>,
        })
      }
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="The program that gets the events, such as CRM."
        value={name}
        maxLength={nameCharactersMax}
        onChange={setName}
      />
      <TextField
        label="Address"
        hint="Where the events are sent, such as https://crm.example.com/easel."
        value={url}
        maxLength={urlCharactersMax}
        onChange={setUrl}
      />
      <CheckField label="All events" hint="Also those of later releases." checked={isAll} onChange={setIsAll} />
      {!isAll && (
        <fieldset className={styles.types}>
          <legend>Events</legend>
          {Object.entries(eventWords).map(([type, words]) => (
            <CheckField
              key={type}
              label={words}
              hint={<code>{type}</code>}
              checked={chosen.has(type)}
              onChange={(isChosen) =>
                setChosen(new Set(isChosen ? [...chosen, type] : [...chosen].filter((each) => each !== type)))
              }
            />
          ))}
        </fieldset>
      )}
    </FormDialog>
  )
}

function reasonOf(name: string, url: string, hasTypes: boolean): string | undefined {
  if (name.trim() === '') return 'Give the webhook a name first.'
  if (url.trim() === '') return 'Give the address first.'
  return hasTypes ? undefined : 'Choose an event first.'
}
