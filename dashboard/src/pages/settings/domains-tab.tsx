import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminDkimKeysId,
  type GetAdminDkimKeysReply,
  getAdminDkimKeys,
  type PostAdminDkimKeysBody,
  postAdminDkimKeys,
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
import { DeleteEntry } from './delete-entry.tsx'
import { DomainRecords } from './domain-records.tsx'
import styles from './settings.module.css'

type Domain = GetAdminDkimKeysReply['dkim_keys'][number]

/** The domains from which mail is sent, with what DNS must say of each. */
export function DomainsTab() {
  const { workspace } = useViewer()
  const operation = getAdminDkimKeys({ workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const [isMaking, setIsMaking] = useState(false)
  const [ending, setEnding] = useState<Domain>()
  const [mayEdit, mayEnd] = [useReason('dkim_keys.edit'), useReason('dkim_keys.end')]
  if (read.data === undefined) return <NoAnswer read={read} what="mail domains" />
  const make = (
    <Button look="main" disabledReason={mayEdit} onClick={() => setIsMaking(true)}>
      New domain
    </Button>
  )
  const domains = read.data.dkim_keys
  return (
    <div className={styles.tab}>
      <div className={styles.head}>
        <p>
          Mail from these domains and those below them is signed. Receivers trust it when DNS has the records shown.
        </p>
        {make}
      </div>
      {domains.length === 0 && (
        <div className={styles.sheet}>
          <Empty title="There are no mail domains" actions={make}>
            Without a domain mail is sent unsigned, and large receivers put it into spam.
          </Empty>
        </div>
      )}
      {domains.map((domain) => (
        <section key={domain.id} className={styles.domain} aria-label={domain.name}>
          <div className={styles.head}>
            <h2>{domain.name}</h2>
            <Button disabledReason={mayEnd} onClick={() => setEnding(domain)} aria-label={`Delete ${domain.name}`}>
              Delete
            </Button>
          </div>
          <DomainRecords id={domain.id} name={domain.name} />
        </section>
      ))}
      {isMaking && <NewDomain onClose={() => setIsMaking(false)} />}
      {ending && (
        <DeleteEntry
          one="domain"
          name={ending.name}
          operation={deleteAdminDkimKeysId(ending.id, { workspace: workspace.id })}
          onClose={() => setEnding(undefined)}
        >
          Mail from this domain is not signed any more. Its key is lost, and another one needs another DNS record.
        </DeleteEntry>
      )}
    </div>
  )
}

function NewDomain({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState('')
  const [selector, setSelector] = useState('easel1')
  const [key, setKey] = useState('')
  const make = useWrite({
    request: (body: PostAdminDkimKeysBody) => postAdminDkimKeys(body, { workspace: workspace.id }),
    said: ({ dkim_key }) => `The domain ${dkim_key.name} is added. Publish its records now.`,
    onDone: onClose,
  })
  const submit = () =>
    make.mutate({
      name: name.trim().toLowerCase(),
      selector: selector.trim(),
      ...(key.trim() !== '' && { private_key: key }),
    })
  return (
    <FormDialog
      title="New mail domain"
      submit="Add the domain"
      disabledReason={name.trim() === '' ? 'Write the domain first.' : undefined}
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <TextField
        label="Domain"
        hint="What stands after the @ of senders, such as shop.example."
        value={name}
        onChange={setName}
      />
      <TextField
        label="Selector"
        hint="The word below _domainkey in DNS. Each key of a domain has another one."
        mono
        value={selector}
        onChange={setSelector}
      />
      <TextArea
        label="Private key"
        hint="Empty: a new key is made. Or paste one in PEM that is already published."
        rows={3}
        mono
        value={key}
        onChange={setKey}
      />
    </FormDialog>
  )
}
