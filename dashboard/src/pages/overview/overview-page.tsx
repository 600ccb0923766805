import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type GetAdminOverviewReply, getAdminOverview } from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { usePageSearch } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { type ChartColumn, ColumnChart, type Series } from '../../ui/column-chart.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { OutcomeBar } from '../../ui/outcome-bar.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount, formatEstimate, formatShare } from '../../words/numbers.ts'
import { formatDuration } from '../../words/times.ts'
import { AttentionList } from './attention-list.tsx'
import styles from './overview.module.css'

type Overview = GetAdminOverviewReply
type Due = Overview['due'][number]
type Route = Overview['requests']['routes'][number]
type Send = Overview['under_way'][number]

const everyMs = 10_000
/** How far back the charts go. */
const ranges = [
  { hours: '1', label: '1 h' },
  { hours: '24', label: '24 h' },
  { hours: '168', label: '7 d' },
] as const

/** Whether all is well in the workspace, and what needs attention. */
export function OverviewPage() {
  const { workspace } = useViewer()
  const [{ hours: given }] = usePageSearch<{ hours?: string }>()
  const { hours } = ranges.find((range) => range.hours === given) ?? ranges[0]
  const operation = getAdminOverview({ workspace: workspace.id, hours: Number(hours) })
  const read = useQuery({ ...polling(operation, everyMs), placeholderData: keepPreviousData })
  useFeed(operation)
  return (
    <>
      <title>Overview - Easel</title>
      <div className={styles.head}>
        <h1>Overview</h1>
        <nav className={styles.ranges} aria-label="Time that the charts show">
          {ranges.map((range) => (
            <Link
              key={range.hours}
              to={paths.overview(workspace.id, { hours: range.hours })}
              className={styles.range}
              aria-current={range.hours === hours ? 'true' : undefined}
            >
              {range.label}
            </Link>
          ))}
        </nav>
        {read.data && (
          <span className={styles.asOf}>
            as of <Moment at={read.data.at} full />
          </span>
        )}
      </div>
      {read.isPending && <LoadingRows what="the overview" />}
      {read.isError && (
        <div className={styles.problem}>
          <Failure error={read.error} onRetry={() => void read.refetch()} />
        </div>
      )}
      {read.data && (
        <div className={read.isPlaceholderData || read.isError ? styles.dimmed : undefined}>
          <OverviewContent overview={read.data} />
        </div>
      )}
    </>
  )
}

function OverviewContent({ overview }: { overview: Overview }) {
  const { workspace, may } = useViewer()
  const { people, requests, outcomes } = overview
  return (
    <>
      <p className={styles.sentence} role="status">
        <Mark family={overview.is_well ? 'sent' : 'failed'}>{overview.sentence}</Mark>
      </p>
      <AttentionList attention={overview.attention} />
      <dl className={styles.figures}>
        <Figure name="People" value={people.is_estimate ? formatEstimate(people.count) : formatCount(people.count)} />
        <Figure name="Updates a minute" value={formatCount(overview.updates_a_minute)} />
        <Figure name="Requests" value={formatCount(requests.ok + requests.refused + requests.failed)} />
        <Figure name="Messages sent" value={formatCount(outcomes.sent)} />
      </dl>
      <div className={styles.parts}>
        <RequestChart requests={requests} />
        <OutcomeChart outcomes={outcomes} />
        {outcomes.channels.length > 0 && (
          <Card title="Messages by channel">
            <Table
              caption="Messages by channel"
              columns={channelColumns}
              rows={outcomes.channels}
              keyOf={({ channel }) => channel}
            />
          </Card>
        )}
        <Card title="Due work">
          <Table caption="Due work" columns={dueColumns} rows={overview.due} keyOf={({ work }) => work} />
        </Card>
        <Card title="Going out now">
          {overview.under_way.length === 0 ? (
            <Note>Nothing is going out now.</Note>
          ) : (
            <Table
              caption="Going out now"
              columns={sendColumns(may('messages.read') ? (id) => paths.send(workspace.id, id) : undefined)}
              rows={overview.under_way}
              keyOf={({ dispatch_id }) => dispatch_id}
            />
          )}
        </Card>
        <Card title="Busiest endpoints">
          {requests.routes.length === 0 ? (
            <Note>There were no requests in this time.</Note>
          ) : (
            <Table
              caption="Busiest endpoints"
              columns={routeColumns}
              rows={requests.routes}
              keyOf={({ route }) => route}
            />
          )}
        </Card>
      </div>
    </>
  )
}

function Figure({ name, value }: { name: string; value: string }) {
  return (
    <div className={styles.figure}>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}

const requestSeries: readonly Series[] = [
  { name: 'ok', fill: 'plain' },
  { name: 'refused (4xx)', fill: 'held' },
  { name: 'failed (5xx)', fill: 'failed' },
]

function RequestChart({ requests }: { requests: Overview['requests'] }) {
  const { moment } = useViewer()
  const columns = requests.columns.map(
    ({ at, ok, refused, failed }): ChartColumn => ({ key: at, label: moment(at), counts: [ok, refused, failed] }),
  )
  const title = `Requests ${stepWords(requests.step_ms)} (time of the machine)`
  return (
    <Card title={title}>
      <ColumnChart label={title} series={requestSeries} columns={columns} format={formatCount} />
    </Card>
  )
}

const families = ['sent', 'held', 'control', 'failed', 'uncertain', 'waiting'] as const
const outcomeSeries: readonly Series[] = families.map((family) => ({ name: family, fill: family }))

function OutcomeChart({ outcomes }: { outcomes: Overview['outcomes'] }) {
  const { moment } = useViewer()
  const columns = outcomes.columns.map(
    ({ at, ...counts }): ChartColumn => ({
      key: at,
      label: moment(at),
      counts: families.map((family) => counts[family]),
    }),
  )
  const title = `Messages ${stepWords(outcomes.step_ms)}`
  return (
    <Card title={title}>
      <ColumnChart label={title} series={outcomeSeries} columns={columns} format={formatCount} />
    </Card>
  )
}

type OfChannel = Overview['outcomes']['channels'][number]

const channelColumns: Column<OfChannel>[] = [
  { head: 'Messages', wraps: true, cell: ({ words }) => <span className={styles.channel}>{words}</span> },
  { head: 'Sent', width: '18%', align: 'end', cell: ({ sent }) => formatCount(sent) },
  { head: 'Failed', width: '18%', align: 'end', cell: ({ failed }) => formatCount(failed) },
  {
    head: 'Share sent',
    width: '22%',
    align: 'end',
    cell: ({ sent, tried }) => formatShare(sent, tried),
  },
]

function stepWords(ms: number): string {
  if (ms === 60_000) return 'a minute'
  return ms === 3_600_000 ? 'an hour' : `every ${formatDuration(ms)}`
}

const workWords: Readonly<Record<Due['work'], string>> = {
  slots: 'Sends',
  entries: 'Steps of canvases',
  messages: 'Messages',
  people: 'Merges and deletions',
}

const dueColumns: Column<Due>[] = [
  { head: 'What', cell: ({ work }) => workWords[work] },
  {
    head: 'Waiting',
    width: '20%',
    align: 'end',
    cell: ({ waiting, is_more }) => `${is_more ? 'over ' : ''}${formatCount(waiting)}`,
  },
  { head: 'Next', width: '26%', align: 'end', cell: ({ next_at }) => (next_at ? <Moment at={next_at} /> : '-') },
  {
    head: 'Late',
    width: '20%',
    align: 'end',
    cell: ({ late_ms }) => (late_ms === 0 ? '-' : formatDuration(late_ms)),
  },
]

/** `linkTo`: absent for viewers who may not read messages. */
function sendColumns(linkTo: ((id: string) => string) | undefined): Column<Send>[] {
  return [
    {
      head: 'What',
      cell: ({ dispatch_id, what, subject }) => (
        <span dir="auto" className={styles.what}>
          {linkTo ? <Link to={linkTo(dispatch_id)}>{subject ?? what}</Link> : (subject ?? what)}
        </span>
      ),
    },
    {
      head: 'So far',
      width: '34%',
      wideOnly: true,
      cell: ({ outcomes }) => <OutcomeBar label="What became of it" parts={outcomes} />,
    },
    { head: 'Found', width: '16%', align: 'end', cell: ({ found, unknown }) => formatCount(found + unknown) },
    { head: 'To go', width: '16%', align: 'end', cell: ({ to_go }) => formatCount(to_go) },
  ]
}

const routeColumns: Column<Route>[] = [
  { head: 'Endpoint', cell: ({ route }) => <code className={styles.what}>{route}</code> },
  { head: 'Requests', width: '18%', align: 'end', cell: ({ count }) => formatCount(count) },
  {
    head: 'Not ok',
    width: '16%',
    align: 'end',
    cell: ({ refused, failed }) => (refused + failed === 0 ? '-' : formatCount(refused + failed)),
  },
  { head: 'Mean', width: '16%', align: 'end', wideOnly: true, cell: ({ mean_ms }) => formatDuration(mean_ms) },
]
