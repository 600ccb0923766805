import { useState } from 'react'
import {
  type GetAdminWorkReply,
  postAdminWorkRequestIdPositionDiscard,
  postAdminWorkRequestIdPositionRetry,
} from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Mark } from '../../ui/mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './work-page.module.css'

type Item = GetAdminWorkReply['work'][number]
type Asking = { readonly item: Item; readonly action: Item['actions'][number] }

const kinds: Readonly<Record<Item['kind'], string>> = {
  merge: 'Merge',
  delete: 'Deletion',
  identify: 'Identification',
}

/** Accepted items, with what can be done with each. */
export function WorkTable({ work, dimmed }: { work: readonly Item[]; dimmed: boolean }) {
  const [asking, setAsking] = useState<Asking>()
  const reason = useReason('work.act')
  const columns: Column<Item>[] = [
    { head: 'Kind', width: '10%', cell: ({ kind }) => kinds[kind] },
    {
      head: 'What became of it',
      width: '34%',
      cell: ({ family, sentence }) => <Mark family={family}>{sentence}</Mark>,
    },
    { head: 'Who', width: '34%', wideOnly: true, cell: ({ who }) => <span dir="auto">{who ?? '-'}</span> },
    { head: 'Asked', width: '8%', align: 'end', wideOnly: true, cell: (item) => <Moment at={item.accepted_at} /> },
    {
      head: 'Actions',
      width: '14%',
      cell: (item) => (
        <span className={styles.actions}>
          {item.actions.map((action) => (
            <Button key={action} disabledReason={reason} onClick={() => setAsking({ item, action })}>
              {action === 'retry' ? 'Try again' : 'Discard'}
            </Button>
          ))}
        </span>
      ),
    },
  ]
  return (
    <>
      <Table
        caption="Work"
        columns={columns}
        rows={work}
        keyOf={({ request_id, position }) => `${request_id}/${position}`}
        dimmed={dimmed}
      />
      {asking && <ActionDialog asking={asking} onClose={() => setAsking(undefined)} />}
    </>
  )
}

function ActionDialog({ asking: { item, action }, onClose }: { asking: Asking; onClose: () => void }) {
  const { workspace } = useViewer()
  const isRetry = action === 'retry'
  const act = useWrite({
    request: ({ request_id, position }: Item) =>
      (isRetry ? postAdminWorkRequestIdPositionRetry : postAdminWorkRequestIdPositionDiscard)(
        request_id,
        String(position),
        { workspace: workspace.id },
      ),
    said: (reply) => reply.work.sentence,
    onDone: onClose,
  })
  const kind = kinds[item.kind].toLowerCase()
  return (
    <FormDialog
      title={isRetry ? `Try this ${kind} again?` : `Discard this ${kind}?`}
      submit={isRetry ? 'Try again' : 'Discard'}
      danger={!isRetry || item.kind !== 'identify'}
      isPending={act.isPending}
      refusal={act.isError && <Refusal error={act.error} />}
      onSubmit={() => act.mutate(item)}
      onClose={onClose}
    >
      <p>
        {isRetry
          ? 'It is carried out now with the people that there are now. A merge or a deletion cannot be taken back.'
          : 'It is not carried out. It can be tried again later.'}
      </p>
      {item.who !== null && (
        <p className={styles.who} dir="auto">
          {item.who}
        </p>
      )}
    </FormDialog>
  )
}
