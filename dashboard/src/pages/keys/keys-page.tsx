import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { deleteAdminKeysId, type GetAdminKeysReply, getAdminKeys } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { NewKey } from './new-key.tsx'

type Key = GetAdminKeysReply['keys'][number]

/** The keys with which systems of the company call the interface. */
export function KeysPage() {
  const { workspace } = useViewer()
  const operation = getAdminKeys({ workspace: workspace.id })
  const keys = useQuery(reading(operation))
  useFeed(operation)
  const [isMaking, setIsMaking] = useState(false)
  const [ending, setEnding] = useState<Key>()
  const make = (
    <Button look="main" disabledReason={useReason('api_keys.edit')} onClick={() => setIsMaking(true)}>
      New key
    </Button>
  )
  return (
    <>
      <ListPage
        title="Keys"
        what="keys"
        query={keys}
        head={make}
        sentence="Systems of your company call the interface with these keys. When a key was last used is written every minute."
        isEmpty={(reply) => reply.keys.length === 0}
        empty={
          <Empty title="There are no keys" actions={make}>
            A system needs a key to call the interface. Give each system a key of its own.
          </Empty>
        }
      >
        {(reply) => <KeysTable keys={reply.keys} onEnd={setEnding} />}
      </ListPage>
      {isMaking && <NewKey onClose={() => setIsMaking(false)} />}
      {ending && <EndKey apiKey={ending} onClose={() => setEnding(undefined)} />}
    </>
  )
}

function KeysTable({ keys, onEnd }: { keys: readonly Key[]; onEnd: (key: Key) => void }) {
  const reason = useReason('api_keys.end')
  const columns: Column<Key>[] = [
    {
      head: 'Name',
      width: '22%',
      cell: ({ name, strict }) => (
        <span dir="auto">
          {name}
          {strict && ' (strict)'}
        </span>
      ),
    },
    { head: 'Begins with', width: '14%', wideOnly: true, cell: (key) => <code>{key.key_start}</code> },
    {
      head: 'Permissions',
      width: '28%',
      cell: ({ permissions }) => (permissions.includes('*') ? 'all' : permissions.join(', ')),
    },
    {
      head: 'Addresses',
      width: '14%',
      wideOnly: true,
      cell: ({ allowed_ips }) => (allowed_ips.length === 0 ? 'any' : allowed_ips.join(', ')),
    },
    {
      head: 'Last used',
      width: '12%',
      align: 'end',
      cell: ({ last_used_at }) => (last_used_at === null ? 'never' : <Moment at={last_used_at} />),
    },
    {
      head: 'Actions',
      width: '10%',
      cell: (key) => (
        <Button disabledReason={reason} aria-label={`Delete the key ${key.name}`} onClick={() => onEnd(key)}>
          Delete
        </Button>
      ),
    },
  ]
  return <Table caption="Keys" columns={columns} rows={keys} keyOf={({ id }) => id} />
}

function EndKey({ apiKey, onClose }: { apiKey: Key; onClose: () => void }) {
  const { workspace } = useViewer()
  const end = useWrite({
    request: ({ id }: Key) => deleteAdminKeysId(id, { workspace: workspace.id }),
    said: () => `The key "${apiKey.name}" is deleted.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Delete the key "${apiKey.name}"?`}
      submit="Delete"
      danger
      typed={apiKey.name.trim()}
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(apiKey)}
      onClose={onClose}
    >
      <p>It is refused everywhere within a second, and cannot be brought back.</p>
      <p>
        {apiKey.last_used_at === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used at <Moment at={apiKey.last_used_at} full />.
          </>
        )}
      </p>
    </FormDialog>
  )
}
