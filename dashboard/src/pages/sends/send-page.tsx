import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CallError } from '../../api/errors.ts'
import { type GetAdminDispatchesDispatchIdReply, getAdminDispatchesDispatchId } from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { OutcomeBar } from '../../ui/outcome-bar.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount, formatShare } from '../../words/numbers.ts'
import { shortId } from '../../words/people.ts'
import { SendActions } from './send-actions.tsx'
import styles from './sends.module.css'

type Send = GetAdminDispatchesDispatchIdReply['dispatch']
type Outcome = Send['outcomes'][number]
type Slot = Send['slots'][number]

const everyMs = 3_000

/** One send: how far it is, what became of it, and when its parts are due. */
export function SendPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminDispatchesDispatchId(id, { workspace: workspace.id })
  const read = useQuery({
    ...polling(operation, everyMs),
    refetchInterval: ({ state }) => (isMoving(state.data?.dispatch) ? everyMs : false),
  })
  useFeed(operation)
  if (read.isPending) return <LoadingRows what="the send" />
  if (read.data) return <SendContent send={read.data.dispatch} />
  if (read.error instanceof CallError && read.error.status === 404) return <UnknownSend />
  return <Failure error={read.error} onRetry={() => void read.refetch()} />
}

function isMoving(send: Send | undefined): boolean {
  return send !== undefined && send.state !== 'done' && send.state !== 'cancelled'
}

function SendContent({ send }: { send: Send }) {
  const { workspace, may } = useViewer()
  const title = send.subject ?? send.what
  const all = send.outcomes.reduce((sum, { count }) => sum + count, 0)
  return (
    <>
      <title>{`${title} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={paths.sends(workspace.id)}>Sends</Link>
      </p>
      <div className={styles.head}>
        <h1 dir="auto">{title}</h1>
        <span className={styles.id} title={`Id of the send: ${send.dispatch_id}`}>
          {shortId(send.dispatch_id)}
          <CopyButton text={send.dispatch_id} label="Copy the id of the send" />
        </span>
        <SendActions send={send} found={all} />
      </div>
      <p className={styles.sentence} role="status">
        {send.sentence}
      </p>
      {all > 0 && <OutcomeBar label="What became of it" parts={send.outcomes} />}
      <div className={styles.parts}>
        <Card title="What became of it">
          {all === 0 ? (
            <Note>Nobody was looked for yet.</Note>
          ) : (
            <Table
              caption="What became of it"
              columns={outcomeColumns(send, all)}
              rows={send.outcomes}
              keyOf={({ reason }) => reason ?? 'open'}
            />
          )}
        </Card>
        <Card title="What it is">
          <Facts
            facts={[
              { name: 'What', value: send.what },
              { name: 'To', value: send.recipient_words },
              { name: 'Kind', value: send.class },
              { name: 'Asked', value: <Moment at={send.created_at} full /> },
              { name: 'When', value: <When send={send} /> },
              ...(may('messages.read') ? [{ name: 'Messages', value: <AllMessagesLink send={send} /> }] : []),
              ...(send.send_id === null ? [] : [{ name: 'Send id', value: send.send_id }]),
              ...(send.schedule_id === null ? [] : [{ name: 'Schedule id', value: send.schedule_id }]),
            ]}
          />
        </Card>
        <Card title="Parts by time zone">
          <Table caption="Parts by time zone" columns={slotColumns} rows={send.slots} keyOf={({ zone }) => zone} />
        </Card>
      </div>
    </>
  )
}

/** When a send was asked to go out. */
function When({ send: { schedule } }: { send: Send }) {
  if (schedule === null) return 'At once'
  if (schedule.at_optimal_time) return `At the best hour of each person on ${wallClock(schedule.time).slice(0, 10)}`
  return schedule.in_local_time ? (
    `At ${wallClock(schedule.time)}, in the time zone of each person`
  ) : (
    <Moment at={schedule.time} full />
  )
}

/** A time without its zone, as each person reads it where they are. */
function wallClock(time: string): string {
  return time.replace('T', ' ').slice(0, '2030-01-01 00:00'.length)
}

function outcomeColumns(send: Send, all: number): Column<Outcome>[] {
  return [
    { head: 'Reason', cell: ({ family, words }) => <Mark family={family}>{words}</Mark> },
    { head: 'Count', width: '22%', align: 'end', cell: (outcome) => <MessagesLink send={send} outcome={outcome} /> },
    { head: 'Share', width: '18%', align: 'end', cell: ({ count }) => formatShare(count, all) },
  ]
}

/** Leads to all messages, for a flow to those of its entries. */
function AllMessagesLink({ send: { dispatch_id } }: { send: Send }) {
  const { workspace } = useViewer()
  return <Link to={paths.messages(workspace.id, { dispatch: dispatch_id })}>Show all its messages</Link>
}

/** The count of an outcome, which leads to its messages. */
function MessagesLink({ send, outcome }: { send: Send; outcome: Outcome }) {
  const { workspace, may } = useViewer()
  const { reason, words, count, has_messages } = outcome
  const shown = formatCount(count)
  if (!has_messages || !may('messages.read')) return shown
  const dispatch = send.dispatch_id
  const to = paths.messages(workspace.id, reason === null ? { dispatch, family: 'waiting' } : { dispatch, reason })
  return (
    <Link to={to} aria-label={`${shown}: show the messages, ${words}`} title="Show the messages">
      {shown}
    </Link>
  )
}

const zoneWords: Readonly<Record<string, string>> = {
  '': 'Everybody together',
  '-': 'People without a time zone',
  '*': 'People who were in no other part',
  '!': 'Recipients who were missed',
}

const slotColumns: Column<Slot>[] = [
  { head: 'Where', cell: ({ zone }) => zoneWords[zone] ?? zone },
  { head: 'Due', width: '28%', align: 'end', cell: ({ due_at }) => <Moment at={due_at} /> },
  {
    head: 'State',
    width: '26%',
    cell: ({ state, reason, failure }) => (
      <span dir="auto">
        {state}
        {reason !== null && state !== reason && `, ${reason.replaceAll('_', ' ')}`}
        {failure !== null && `: ${failure}`}
      </span>
    ),
  },
  { head: 'Found', width: '16%', align: 'end', cell: ({ found, unknown }) => formatCount(found + unknown) },
]

function UnknownSend() {
  const { workspace } = useViewer()
  return (
    <Empty
      title="There is no such send"
      actions={
        <Link to={paths.sends(workspace.id)} className={buttonClass('main')}>
          All sends
        </Link>
      }
    >
      It belongs to another workspace, is too old to be kept, or the link is not complete.
    </Empty>
  )
}
