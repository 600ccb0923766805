import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type GetAdminDispatchesReply, getAdminDispatches } from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { ListPage } from '../../frame/list-page.tsx'
import { usePageSearch } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './sends.module.css'

type Send = GetAdminDispatchesReply['dispatches'][number]

const everyMs = 10_000

/** Everything that was asked to be sent: by a request, by a schedule, or by a campaign. */
export function SendsPage() {
  const { workspace, may } = useViewer()
  const [{ cursor }, change] = usePageSearch<{ cursor?: string }>()
  const navigate = useNavigate()
  const operation = getAdminDispatches({ workspace: workspace.id, cursor })
  const sends = useQuery({
    ...(cursor === undefined ? polling(operation, everyMs) : reading(operation)),
    placeholderData: keepPreviousData,
  })
  useFeed(operation)
  const open = (id: string) => void navigate({ to: paths.send(workspace.id, id) })
  return (
    <ListPage
      title="Sends"
      what="sends"
      query={sends}
      sentence="What your systems, schedules and campaigns have asked to send. Newest first."
      isEmpty={(reply) => reply.dispatches.length === 0}
      empty={
        <Empty title="Nothing was sent yet">
          A send appears here when one of your systems calls /messages/send, when a schedule is due, or when a campaign
          or a canvas is triggered.
        </Empty>
      }
      pages={
        <>
          {cursor !== undefined && <Button onClick={() => change({ cursor: undefined } as object)}>Newest</Button>}
          {sends.data?.cursor && <Button onClick={() => change({ cursor: sends.data.cursor! })}>Older</Button>}
        </>
      }
    >
      {(reply) => (
        <Table
          caption="Sends"
          columns={columnsOf(may('messages.read') ? (id) => paths.send(workspace.id, id) : undefined)}
          rows={reply.dispatches}
          keyOf={({ dispatch_id }) => dispatch_id}
          dimmed={sends.isPlaceholderData}
          {...(may('messages.read') && { onChoose: ({ dispatch_id }: Send) => open(dispatch_id) })}
        />
      )}
    </ListPage>
  )
}

/** `linkTo`: absent for viewers who may not read messages. */
function columnsOf(linkTo: ((id: string) => string) | undefined): Column<Send>[] {
  return [
    {
      head: 'What',
      width: '34%',
      cell: ({ dispatch_id, what, subject }) => (
        <span dir="auto" className={styles.what}>
          {linkTo ? <Link to={linkTo(dispatch_id)}>{subject ?? what}</Link> : (subject ?? what)}
          {subject !== null && <span className={styles.more}>{what}</span>}
        </span>
      ),
    },
    {
      head: 'To',
      width: '22%',
      wideOnly: true,
      cell: ({ recipient_words }) => (
        <span dir="auto" className={styles.what}>
          {recipient_words}
        </span>
      ),
    },
    {
      head: 'State',
      width: '14%',
      cell: ({ state }) => <Mark family={familyOf[state]}>{state}</Mark>,
    },
    {
      head: 'Due',
      width: '12%',
      align: 'end',
      wideOnly: true,
      cell: ({ next_due_at, created_at }) => <Moment at={next_due_at ?? created_at} />,
    },
    {
      head: 'Found',
      width: '9%',
      align: 'end',
      cell: ({ found, unknown }) => formatCount(found + unknown),
    },
    { head: 'To go', width: '9%', align: 'end', wideOnly: true, cell: ({ to_go }) => formatCount(to_go) },
  ]
}

/** How the state of a send is drawn. */
export const familyOf = {
  waiting: 'waiting',
  running: 'waiting',
  paused: 'held',
  cancelled: 'control',
  done: 'sent',
} as const
