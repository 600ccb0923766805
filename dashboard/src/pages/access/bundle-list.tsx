import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { reading } from '../../api/queries.ts'
import { NoPermission } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './access.module.css'
import { HoldersLink } from './holders-link.tsx'
import type { Bundle, BundleKind } from './kinds.ts'
import { useHolders } from './use-holders.ts'

/** The roles or the permission sets of the workspace. */
export function BundleList({ kind }: { kind: BundleKind }) {
  const { may } = useViewer()
  const ability = `${kind.noun}.read`
  return may(ability) ? <Readable kind={kind} /> : <NoPermission what={kind.title} ability={ability} />
}

function Readable({ kind }: { kind: BundleKind }) {
  const { workspace } = useViewer()
  const operation = kind.list({ workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const [isMaking, setIsMaking] = useState(false)
  const make = (
    <Button look="main" disabledReason={useReason(`${kind.noun}.edit`)} onClick={() => setIsMaking(true)}>
      New {kind.one}
    </Button>
  )
  if (read.data === undefined) return <NoAnswer read={read} what={kind.title.toLowerCase()} />
  const bundles = kind.listed(read.data)
  return (
    <div className={styles.stack}>
      <div className={styles.row}>
        <span className={styles.soft}>{kind.about}</span>
        <span className={styles.end}>{make}</span>
      </div>
      <div className={styles.sheet}>
        {bundles.length === 0 ? (
          <Empty title={`There are no ${kind.title.toLowerCase()}`} actions={make}>
            Give permissions a name once, and accounts the name.
          </Empty>
        ) : (
          <BundleTable kind={kind} bundles={bundles} />
        )}
      </div>
      {isMaking && <NewBundle kind={kind} onClose={() => setIsMaking(false)} />}
    </div>
  )
}

function BundleTable({ kind, bundles }: { kind: BundleKind; bundles: readonly Bundle[] }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const holders = useHolders(kind.noun)
  const columns: Column<Bundle>[] = [
    {
      head: 'Name',
      width: '28%',
      cell: ({ id, name }) => (
        <Link to={kind.path(workspace.id, id)} dir="auto">
          {name}
        </Link>
      ),
    },
    {
      head: 'Permissions',
      width: '54%',
      cell: ({ permissions }) => (permissions.length === 0 ? 'none' : permissions.join(', ')),
    },
    {
      head: 'Who has it',
      width: '18%',
      cell: ({ id }) => <HoldersLink count={holders(id)} query={kind.holders(id, workspace.id)} />,
    },
  ]
  return (
    <Table
      caption={kind.title}
      columns={columns}
      rows={bundles}
      keyOf={({ id }) => id}
      onChoose={({ id }) => void navigate({ to: kind.path(workspace.id, id) })}
    />
  )
}

function NewBundle({ kind, onClose }: { kind: BundleKind; onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const make = useWrite({
    request: (given: string) => kind.make({ name: given, permissions: [] }, { workspace: workspace.id }),
    said: (reply) => `The ${kind.one} "${kind.found(reply).name}" is made. Choose what it allows.`,
    onDone: (reply) => void navigate({ to: kind.path(workspace.id, kind.found(reply).id) }),
  })
  return (
    <FormDialog
      title={`New ${kind.one}`}
      submit={`Make the ${kind.one}`}
      disabledReason={name.trim() === '' ? `Give the ${kind.one} a name first.` : undefined}
      isPending={make.isPending}
      refusal={make.isError && <Refusal error={make.error} />}
      onSubmit={() => make.mutate(name.trim())}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="What people with it do, such as Editor. You choose the permissions next."
        value={name}
        maxLength={255}
        onChange={setName}
      />
    </FormDialog>
  )
}
