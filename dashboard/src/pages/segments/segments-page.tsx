import { Link } from '@tanstack/react-router'
import { type GetAdminHeadsSegmentsReply, getAdminHeadsSegments } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { useReason } from '../../frame/permit.ts'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { formatDay } from '../../words/times.ts'

type Segment = GetAdminHeadsSegmentsReply['segments'][number]

/** All stored audiences. */
export function SegmentsPage() {
  const { workspace } = useViewer()
  const pathOf = (id: string) => paths.segment(workspace.id, id)
  return (
    <HeadList
      title="Segments"
      what="segments"
      operation={getAdminHeadsSegments({ workspace: workspace.id })}
      headsOf={({ segments }) => segments}
      pathOf={pathOf}
      sentence="Audiences with a name. Each is counted once a day."
      columns={columnsOf(pathOf)}
      actions={<NewSegment />}
      empty={
        <Empty title="There are no segments" actions={<NewSegment />}>
          A segment is an audience that canvases and campaigns name. Build one from an example, or write one into the
          workspace file and send it with <code>easel apply</code>.
        </Empty>
      }
    />
  )
}

/** A link to the builder, which begins with an example. */
function NewSegment() {
  const { workspace } = useViewer()
  const reason = useReason('segments.edit')
  if (reason !== undefined) return <Button disabledReason={reason}>New segment</Button>
  return (
    <Link to={paths.segmentNew(workspace.id)} className={buttonClass('main')}>
      New segment
    </Link>
  )
}

function columnsOf(pathOf: (id: string) => string): Column<Segment>[] {
  return [
    {
      head: 'Name',
      width: '21%',
      cell: ({ id, name, description }) => <NameCell name={name} to={pathOf(id)} more={description} />,
    },
    { head: 'Who is in it', width: '35%', wraps: true, cell: ({ sentence }) => <span dir="auto">{sentence}</span> },
    {
      head: 'Size',
      width: '10%',
      align: 'end',
      cell: ({ size, size_on }) => (
        <span title={size_on ? `Counted on ${formatDay(size_on)}` : 'Not counted yet'}>{formatCount(size)}</span>
      ),
    },
    { head: 'Used by', width: '20%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
    {
      head: 'Changed',
      width: '14%',
      align: 'end',
      wideOnly: true,
      cell: ({ updated_at }) => <Moment at={updated_at} />,
    },
  ]
}
