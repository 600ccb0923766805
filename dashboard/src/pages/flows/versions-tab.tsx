import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  type GetAdminCanvasesIdVersionsReply,
  getAdminCampaignsIdVersions,
  getAdminCanvasesIdVersions,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { Author } from './author.tsx'
import styles from './entries-list.module.css'
import page from './flow-page.module.css'
import { type FlowRef, pathOfFlow } from './flow-words.ts'
import { VersionPanel } from './version-panel.tsx'

type Version = GetAdminCanvasesIdVersionsReply['versions'][number]

const versionsOf = { canvas: getAdminCanvasesIdVersions, campaign: getAdminCampaignsIdVersions } as const

type VersionsTabProps = { flow: FlowRef; current: number }

/** The versions of a flow: who wrote each and when, and how many people are still on it. */
export function VersionsTab({ flow, current }: VersionsTabProps) {
  const { workspace } = useViewer()
  const [{ before }, change] = usePageSearch<{ before?: string; panel?: string }>()
  const [chosen, choose] = usePanel('version')
  const operation = versionsOf[flow.kind](flow.id, {
    workspace: workspace.id,
    ...(before !== undefined && { before: Number(before) }),
  })
  const read = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const columns = useColumns(flow, current)
  if (read.isPending) return <LoadingRows what="versions" />
  if (read.data === undefined) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const { versions, next_before } = read.data
  return (
    <>
      <div className={page.sheet}>
        {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        <Table
          caption="Versions"
          columns={columns}
          rows={versions}
          keyOf={({ version }) => String(version)}
          chosen={chosen}
          dimmed={read.isPlaceholderData}
          onChoose={({ version }) => choose(String(version))}
        />
        {(before !== undefined || next_before !== null) && (
          <div className={styles.pages}>
            {before !== undefined && <Button onClick={() => change({ before: undefined })}>Newest</Button>}
            {next_before !== null && <Button onClick={() => change({ before: String(next_before) })}>Older</Button>}
          </div>
        )}
      </div>
      {chosen !== undefined && (
        <VersionPanel flow={flow} version={chosen} others={versions.map(({ version }) => version)} />
      )}
    </>
  )
}

function useColumns(flow: FlowRef, current: number): readonly Column<Version>[] {
  const { workspace } = useViewer()
  const path = pathOfFlow(flow.kind, workspace.id, flow.id)
  return [
    {
      head: 'Version',
      width: '16%',
      cell: ({ version }) => (
        <Link to={`${path}?tab=versions&panel=${encodeURIComponent(`version:${version}`)}`}>
          {version === current ? `${version}, the current one` : version}
        </Link>
      ),
    },
    { head: 'Written', width: '24%', cell: ({ created_at }) => <Moment at={created_at} full /> },
    { head: 'By', cell: ({ author }) => <Author author={author} /> },
    { head: 'People on it now', width: '16%', align: 'end', cell: ({ people }) => formatCount(people) },
    {
      head: 'Counts',
      width: '16%',
      align: 'end',
      cell: ({ version }) => (
        <Link to={`${path}?version=${version}`} aria-label={`Show its counts: version ${version}`}>
          Show its counts
        </Link>
      ),
    },
  ]
}
