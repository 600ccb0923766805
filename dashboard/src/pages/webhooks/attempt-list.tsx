import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { getAdminWebhooksIdAttempts } from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { type Attempt, eventWords, type Webhook } from './webhook.ts'
import styles from './webhooks.module.css'

const everyMs = 5_000
const shown = 100

/** The latest requests to one webhook, with the reason of each that failed. */
export function AttemptList({ webhook: { id, name } }: { webhook: Webhook }) {
  const { workspace } = useViewer()
  const operation = getAdminWebhooksIdAttempts(id, { workspace: workspace.id, limit: shown })
  const read = useQuery({ ...polling(operation, everyMs), placeholderData: keepPreviousData })
  return (
    <section className={styles.attempts} aria-label="Latest requests">
      <h2 dir="auto">Latest requests to {name}</h2>
      {read.data === undefined ? (
        <NoAnswer read={read} what="requests" />
      ) : (
        <div className={styles.sheet}>
          {read.data.attempts.length === 0 ? (
            <Empty title="Nothing was sent yet">
              When something happens that the webhook is for, the request is here, with its answer.
            </Empty>
          ) : (
            <AttemptsTable rows={read.data.attempts} dimmed={read.isPlaceholderData} />
          )}
        </div>
      )}
    </section>
  )
}

function AttemptsTable({ rows, dimmed }: { rows: readonly Attempt[]; dimmed: boolean }) {
  const columns: Column<Attempt>[] = [
    { head: 'At', width: '12%', cell: ({ at }) => <Moment at={at} /> },
    { head: 'Event', width: '30%', wraps: true, cell: ({ type }) => eventWords[type] ?? 'A test' },
    {
      head: 'Answer',
      width: '38%',
      wraps: true,
      cell: ({ status, error, answer }) => (
        <>
          <Mark family={error === null ? 'sent' : 'failed'}>{error ?? `Accepted (${status})`}</Mark>
          {answer !== null && answer !== '' && <code className={styles.answer}>{answer}</code>}
        </>
      ),
    },
    { head: 'Took', width: '8%', align: 'end', cell: ({ duration_ms }) => `${duration_ms} ms` },
    { head: 'Event id', width: '12%', wideOnly: true, cell: ({ event_id }) => <code>{event_id}</code> },
  ]
  return <Table caption="Latest requests" columns={columns} rows={rows} keyOf={({ id }) => id} dimmed={dimmed} />
}
