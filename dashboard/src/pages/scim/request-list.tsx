import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type GetAdminScimRequestsReply, getAdminScimRequests } from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import { SelectFilter } from '../../frame/filters.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment } from '../../frame/viewer.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './scim.module.css'
import type { Token } from './token.ts'

const everyMs = 10_000
const shown = 100
const noToken = 'none'
const firstRefusal = 400

type RequestListProps = {
  tokens: readonly Token[]
  token: string | undefined
  onToken: (token: string | undefined) => void
}

/** The latest requests to `/scim/v2`, with the reason of each refusal. */
export function RequestList({ tokens, token, onToken }: RequestListProps) {
  const operation = getAdminScimRequests({ limit: shown, token })
  const read = useQuery({ ...polling(operation, everyMs), placeholderData: keepPreviousData })
  const nameOf = (id: string | null) => tokens.find((each) => each.id === id)?.name ?? 'no known token'
  return (
    <section className={styles.requests} aria-label="Latest requests">
      <h2>Latest requests</h2>
      <SelectFilter
        label="With"
        value={token}
        options={[
          ...tokens.map(({ id, name }) => ({ value: id, label: name })),
          { value: noToken, label: 'no known token' },
        ]}
        onChange={onToken}
      />
      {read.data === undefined ? (
        <NoAnswer read={read} what="requests" />
      ) : (
        <>
          <p className={styles.soft}>
            The process {read.data.process} counts since <Moment at={read.data.since} full /> and keeps the latest
            hundred requests of each token in its memory. What they changed is in the audit.
          </p>
          <div className={styles.sheet}>
            {read.data.requests.length === 0 ? (
              <Empty title="No request yet">
                When your identity provider tests the connection, its requests are here, with the reason of each
                refusal.
              </Empty>
            ) : (
              <RequestsTable rows={read.data.requests} nameOf={nameOf} dimmed={read.isPlaceholderData} />
            )}
          </div>
        </>
      )}
    </section>
  )
}

type Row = GetAdminScimRequestsReply['requests'][number]
type RequestsTableProps = { rows: readonly Row[]; nameOf: (id: string | null) => string; dimmed: boolean }

function RequestsTable({ rows, nameOf, dimmed }: RequestsTableProps) {
  const columns: Column<Row>[] = [
    { head: 'At', width: '10%', cell: ({ at }) => <Moment at={at} /> },
    {
      head: 'Request',
      width: '34%',
      wraps: true,
      cell: ({ method, path }) => (
        <code className={styles.path}>
          {method} {path}
        </code>
      ),
    },
    {
      head: 'Answer',
      width: '30%',
      wraps: true,
      cell: ({ status, refusal }) => (
        <Mark family={status < firstRefusal ? 'sent' : 'failed'}>
          {status} {refusal ?? ''}
        </Mark>
      ),
    },
    { head: 'Token', width: '14%', cell: ({ token_id }) => <span dir="auto">{nameOf(token_id)}</span> },
    { head: 'From', width: '12%', wideOnly: true, cell: ({ ip }) => ip },
  ]
  return <Table caption="Latest requests" columns={columns} rows={rows} keyOf={({ id }) => id} dimmed={dimmed} />
}
