import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminAppsId,
  type GetAdminAppsReply,
  getAdminApps,
  type PostAdminAppsBody,
  patchAdminAppsId,
  postAdminApps,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { Table } from '../../ui/table.tsx'
import { DeleteEntry } from './delete-entry.tsx'
import styles from './settings.module.css'

type App = GetAdminAppsReply['apps'][number]

const platforms = ['web', 'ios', 'android', 'email', 'sms', 'server', 'other'] as const
const nameCharactersMax = 255

/** The apps of a workspace. Events, purchases, push tokens and mails name them by their id. */
export function AppsTab() {
  const { workspace } = useViewer()
  const operation = getAdminApps({ workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const [edited, setEdited] = useState<App | 'new'>()
  const [ending, setEnding] = useState<App>()
  const mayEdit = useReason('apps.edit')
  if (read.data === undefined) return <NoAnswer read={read} what="apps" />
  const make = (
    <Button look="main" disabledReason={mayEdit} onClick={() => setEdited('new')}>
      New app
    </Button>
  )
  return (
    <div className={styles.tab}>
      <div className={styles.head}>
        <p>The sites and apps of your product. Systems name them by their id, and mails are sent for one of them.</p>
        {make}
      </div>
      <div className={styles.sheet}>
        {read.data.apps.length === 0 ? (
          <Empty title="There are no apps" actions={make}>
            A mail needs an app for which it is sent.
          </Empty>
        ) : (
          <AppTable rows={read.data.apps} onEdit={setEdited} onEnd={setEnding} />
        )}
      </div>
      {edited && <AppForm app={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />}
      {ending && (
        <DeleteEntry
          one="app"
          name={ending.name}
          operation={deleteAdminAppsId(ending.id, { workspace: workspace.id })}
          onClose={() => setEnding(undefined)}
        >
          Events that name it stay. Mails and systems that name it are refused from then on.
        </DeleteEntry>
      )}
    </div>
  )
}

type AppTableProps = { rows: readonly App[]; onEdit: (one: App) => void; onEnd: (one: App) => void }

function AppTable({ rows, onEdit, onEnd }: AppTableProps) {
  const [mayEdit, mayEnd] = [useReason('apps.edit'), useReason('apps.end')]
  return (
    <Table
      caption="Apps"
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        { head: 'Name', width: '30%', cell: ({ name }) => <span dir="auto">{name}</span> },
        { head: 'Platform', width: '14%', cell: ({ platform }) => platform },
        {
          head: 'Id',
          width: '36%',
          cell: ({ id, name }) => (
            <>
              <code>{id}</code> <CopyButton text={id} label={`Copy the id of ${name}`} />
            </>
          ),
        },
        {
          head: 'Do',
          width: '20%',
          cell: (app) => (
            <span className={styles.buttons}>
              <Button disabledReason={mayEdit} onClick={() => onEdit(app)} aria-label={`Change ${app.name}`}>
                Change
              </Button>
              <Button disabledReason={mayEnd} onClick={() => onEnd(app)} aria-label={`Delete ${app.name}`}>
                Delete
              </Button>
            </span>
          ),
        },
      ]}
    />
  )
}

function AppForm({ app, onClose }: { app: App | undefined; onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState(app?.name ?? '')
  const [platform, setPlatform] = useState<string>(app?.platform ?? 'web')
  const write = useWrite({
    request: (body: PostAdminAppsBody) =>
      app
        ? patchAdminAppsId(app.id, body, { workspace: workspace.id })
        : postAdminApps(body, { workspace: workspace.id }),
    said: () => `The app "${name.trim()}" is ${app ? 'changed' : 'made'}.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={app ? `Change the app "${app.name}"` : 'New app'}
      submit={app ? 'Save' : 'Make the app'}
      disabledReason={name.trim() === '' ? 'Give the app a name first.' : undefined}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate({ name: name.trim(), platform: platform as App['platform'] })}
      onClose={onClose}
    >
      <TextField label="Name" value={name} maxLength={nameCharactersMax} onChange={setName} />
      <ChoiceField
        label="Platform"
        value={platform}
        options={platforms.map((value) => ({ value, label: value }))}
        onChange={setPlatform}
      />
    </FormDialog>
  )
}
