import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { deleteAdminInbox, type GetAdminInboxReply, getAdminInbox } from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { channelWords } from '../../frame/channel-words.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatBytes, formatCount } from '../../words/numbers.ts'
import { shortId } from '../../words/people.ts'
import { MailPanel } from './mail-panel.tsx'

type InboxSearch = Readonly<Partial<Record<'to' | 'external_id' | 'cursor' | 'panel', string>>>
type Mail = GetAdminInboxReply['messages'][number]

const everyMs = 5_000

/** The messages that are kept here, because no server of their channel is configured. */
export function InboxPage() {
  const { workspace } = useViewer()
  const [{ to, external_id, cursor }, change] = usePageSearch<InboxSearch>()
  const [chosen, choose] = usePanel('mail')
  const [isEmptying, setIsEmptying] = useState(false)
  const operation = getAdminInbox({ workspace: workspace.id, to, external_id, cursor })
  const inbox = useQuery({
    ...(cursor === undefined ? polling(operation, everyMs) : reading(operation)),
    placeholderData: keepPreviousData,
  })
  useFeed(operation)
  const filter = (some: Readonly<Record<string, string | undefined>>) =>
    change({ ...some, cursor: undefined, panel: undefined } as object)
  const isFiltered = to !== undefined || external_id !== undefined
  const reason = useReason('inbox.empty')
  return (
    <>
      <ListPage
        title="Inbox"
        what="messages"
        query={inbox}
        head={
          <Button disabledReason={reason} onClick={() => setIsEmptying(true)}>
            Empty
          </Button>
        }
        filters={
          <Filters isFiltered={isFiltered} onDrop={() => filter({ to: undefined, external_id: undefined })}>
            <TextFilter label="To" value={to} placeholder="ada@example.com" onChange={(next) => filter({ to: next })} />
            <TextFilter label="External id" value={external_id} onChange={(next) => filter({ external_id: next })} />
          </Filters>
        }
        sentence={inbox.data?.delivery}
        isEmpty={(reply) => reply.messages.length === 0}
        empty={
          isFiltered ? (
            <Empty title="No message matches these filters">
              The address and the external id are compared as a whole.
            </Empty>
          ) : (
            <Empty title="The inbox is empty">{inbox.data?.delivery}</Empty>
          )
        }
        pages={
          <>
            {cursor !== undefined && <Button onClick={() => change({ cursor: undefined } as object)}>Newest</Button>}
            {inbox.data?.cursor && <Button onClick={() => change({ cursor: inbox.data.cursor! })}>Older</Button>}
          </>
        }
        panel={chosen && <MailPanel id={chosen} onClose={() => choose(undefined)} />}
      >
        {(reply) => (
          <InboxTable mails={reply.messages} chosen={chosen} dimmed={inbox.isPlaceholderData} onChoose={choose} />
        )}
      </ListPage>
      {isEmptying && <EmptyInbox onClose={() => setIsEmptying(false)} />}
    </>
  )
}

type InboxTableProps = {
  mails: readonly Mail[]
  chosen: string | undefined
  dimmed: boolean
  onChoose: (id: string) => void
}

function InboxTable({ mails, chosen, dimmed, onChoose }: InboxTableProps) {
  const { workspace } = useViewer()
  const columns: Column<Mail>[] = [
    {
      head: 'Subject',
      width: '29%',
      cell: ({ id, subject }) => (
        <Link to={paths.mail(workspace.id, id)} dir="auto">
          {subject === '' ? '(no subject)' : subject}
        </Link>
      ),
    },
    { head: 'Sent as', width: '19%', cell: ({ channel }) => channelWords(channel).title },
    { head: 'To', width: '21%', cell: ({ to }) => to },
    {
      head: 'Of what',
      width: '12%',
      wideOnly: true,
      cell: ({ dispatch_id }) =>
        dispatch_id === null ? 'not from a send' : <span title={dispatch_id}>send {shortId(dispatch_id)}</span>,
    },
    { head: 'Size', width: '7%', align: 'end', wideOnly: true, cell: ({ bytes }) => formatBytes(bytes) },
    { head: 'At', width: '12%', align: 'end', cell: ({ at }) => <Moment at={at} /> },
  ]
  return (
    <Table
      caption="Messages"
      columns={columns}
      rows={mails}
      keyOf={({ id }) => id}
      chosen={chosen}
      dimmed={dimmed}
      onChoose={({ id }) => onChoose(id)}
    />
  )
}

function EmptyInbox({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const empty = useWrite({
    request: () => deleteAdminInbox({ workspace: workspace.id }),
    said: ({ deleted }) => `The inbox is empty. Deleted: ${formatCount(deleted)}.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title="Empty the inbox?"
      submit="Empty it"
      danger
      typed="inbox"
      isPending={empty.isPending}
      refusal={empty.isError && <Refusal error={empty.error} />}
      onSubmit={() => empty.mutate(undefined)}
      onClose={onClose}
    >
      <p>All messages in the inbox are deleted, links for signing in too. They cannot be brought back.</p>
    </FormDialog>
  )
}
