import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminCredentialsId,
  type GetAdminCredentialsReply,
  getAdminCredentials,
  type PostAdminCredentialsBody,
  patchAdminCredentialsId,
  postAdminCredentials,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { DeleteEntry } from './delete-entry.tsx'
import styles from './settings.module.css'

type Credential = GetAdminCredentialsReply['credentials'][number]

/** User names and passwords for the servers from which attachments, connected content and webhooks come. */
export function CredentialsTab() {
  const { workspace } = useViewer()
  const operation = getAdminCredentials({ workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const [edited, setEdited] = useState<Credential | 'new'>()
  const [ending, setEnding] = useState<Credential>()
  const mayEdit = useReason('credentials.edit')
  if (read.data === undefined) return <NoAnswer read={read} what="credentials" />
  const make = (
    <Button look="main" disabledReason={mayEdit} onClick={() => setEdited('new')}>
      New credential
    </Button>
  )
  return (
    <div className={styles.tab}>
      <div className={styles.head}>
        <p>Messages use them by their name. A password is never shown again, and is sent only to the origins listed.</p>
        {make}
      </div>
      <div className={styles.sheet}>
        {read.data.credentials.length === 0 ? (
          <Empty title="There are no credentials" actions={make}>
            Servers that ask for a user name and a password, for attachments, connected content and webhooks.
          </Empty>
        ) : (
          <CredentialTable rows={read.data.credentials} onEdit={setEdited} onEnd={setEnding} />
        )}
      </div>
      {edited && (
        <CredentialForm credential={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
      {ending && (
        <DeleteEntry
          one="credential"
          name={ending.name}
          operation={deleteAdminCredentialsId(ending.id, { workspace: workspace.id })}
          onClose={() => setEnding(undefined)}
        >
          Requests that need it fail from then on.
        </DeleteEntry>
      )}
    </div>
  )
}

type CredentialTableProps = {
  rows: readonly Credential[]
  onEdit: (one: Credential) => void
  onEnd: (one: Credential) => void
}

function CredentialTable({ rows, onEdit, onEnd }: CredentialTableProps) {
  const [mayEdit, mayEnd] = [useReason('credentials.edit'), useReason('credentials.end')]
  return (
    <Table
      caption="Credentials"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Name', width: '22%', cell: ({ name }) => <span dir="auto">{name}</span> },
        { head: 'User name', width: '18%', cell: ({ user_name }) => user_name },
        {
          head: 'Sent to',
          width: '38%',
          wraps: true,
          cell: ({ origins }) => ((origins ?? []).length === 0 ? 'nobody' : origins?.join(', ')),
        },
        {
          head: 'Do',
          width: '22%',
          cell: (one) => (
            <span className={styles.buttons}>
              <Button disabledReason={mayEdit} onClick={() => onEdit(one)} aria-label={`Change ${one.name}`}>
                Change
              </Button>
              <Button disabledReason={mayEnd} onClick={() => onEnd(one)} aria-label={`Delete ${one.name}`}>
                Delete
              </Button>
            </span>
          ),
        },
      ]}
    />
  )
}

function CredentialForm({ credential, onClose }: { credential: Credential | undefined; onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState(credential?.name ?? '')
  const [userName, setUserName] = useState(credential?.user_name ?? '')
  const [password, setPassword] = useState('')
  const [origins, setOrigins] = useState((credential?.origins ?? []).join('\n'))
  const write = useWrite({
    request: (body: PostAdminCredentialsBody) =>
      credential
        ? patchAdminCredentialsId(credential.id, body, { workspace: workspace.id })
        : postAdminCredentials(body, { workspace: workspace.id }),
    said: () => `The credential "${name.trim()}" is ${credential ? 'changed' : 'made'}.`,
    onDone: onClose,
  })
  const submit = () =>
    write.mutate({
      name: name.trim(),
      user_name: userName,
      ...(password !== '' && { password }),
      origins: origins.split(/\s+/).filter((origin) => origin !== ''),
    })
  return (
    <FormDialog
      title={credential ? `Change the credential "${credential.name}"` : 'New credential'}
      submit={credential ? 'Save' : 'Make the credential'}
      disabledReason={name.trim() === '' ? 'Give the credential a name first.' : undefined}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField label="Name" hint="By which messages name it." value={name} onChange={setName} />
      <TextField label="User name" value={userName} onChange={setUserName} />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        hint={credential ? 'Empty: it stays. It is needed again when the user name or the origins change.' : undefined}
        value={password}
        onChange={setPassword}
      />
      <TextArea
        label="Origins"
        hint="Where it may be sent, one a line, such as https://files.example.com."
        rows={3}
        mono
        value={origins}
        onChange={setOrigins}
      />
    </FormDialog>
  )
}
