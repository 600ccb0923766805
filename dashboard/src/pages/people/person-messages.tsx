import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getAdminPeopleIdTimeline } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { usePageSearch } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './person-page.module.css'
import { aboutOf, Pages, type TimelineItem } from './timeline.tsx'

/** The messages of a person, those that were not sent too, with the reason. */
export function PersonMessages({ id, onWhy }: { id: string; onWhy: (about: string) => void }) {
  const { workspace, zoneLabel } = useViewer()
  const [{ cursor }, change] = usePageSearch<{ cursor?: string }>()
  const operation = getAdminPeopleIdTimeline(id, { workspace: workspace.id, kinds: 'message,decision', cursor })
  const read = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  if (read.isPending) return <LoadingRows what="messages" />
  if (!read.data) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const columns: Column<TimelineItem>[] = [
    { head: `Time (${zoneLabel})`, width: '12%', cell: ({ at }) => <Moment at={at} /> },
    {
      head: 'Outcome',
      width: '18%',
      cell: ({ family, reason }) => (
        <Mark family={family ?? 'waiting'}>{reason === null ? 'waiting' : reason.replaceAll('_', ' ')}</Mark>
      ),
    },
    { head: 'Message', width: '45%', cell: ({ sentence }) => <Whole text={sentence} /> },
    {
      head: 'Rule',
      width: '25%',
      wideOnly: true,
      cell: ({ detail }) => (detail === null ? '-' : <Whole text={detail} />),
    },
  ]
  const choose = (item: TimelineItem) => {
    const about = aboutOf(item)
    if (about) onWhy(about)
  }
  return (
    <>
      <div className={styles.sheet}>
        {read.data.items.length === 0 ? (
          <Empty title="No message was sent to this person">
            Messages appear here when an order, a canvas or a campaign selects the person, with the reason when one was
            not sent.
          </Empty>
        ) : (
          <Table
            caption="Messages"
            columns={columns}
            rows={read.data.items}
            keyOf={({ at, message_id, entry_id, dispatch_id }) => `${at} ${message_id} ${entry_id} ${dispatch_id}`}
            dimmed={read.isPlaceholderData}
            onChoose={choose}
          />
        )}
      </div>
      <Pages reply={read.data} isFirst={cursor === undefined} onCursor={(next) => change({ cursor: next })} />
    </>
  )
}

/** A text that a narrow column cuts; the tooltip has the whole. */
function Whole({ text }: { text: string }) {
  return (
    <span dir="auto" title={text}>
      {text}
    </span>
  )
}
