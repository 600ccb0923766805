import { Link } from '@tanstack/react-router'
import type { GetAdminRequestsReply } from '../../api/generated.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount, formatNumber } from '../../words/numbers.ts'
import { shortId } from '../../words/people.ts'
import styles from './api-log-page.module.css'
import { StatusMark } from './status-mark.tsx'

type LoggedRequest = GetAdminRequestsReply['requests'][number]

type RequestsTableProps = {
  requests: readonly LoggedRequest[]
  chosen: string | undefined
  dimmed: boolean
  onChoose: (id: string) => void
}

export function RequestsTable({ requests, chosen, dimmed, onChoose }: RequestsTableProps) {
  const { workspace } = useViewer()
  const columns: Column<LoggedRequest>[] = [
    {
      head: 'Request',
      width: '42%',
      cell: ({ id, method, path, refusal }) => (
        <>
          <Link to={paths.apiRequest(workspace.id, id)} className={styles.request}>
            {method} {path}
          </Link>
          {refusal !== null && (
            <span className={styles.refusal} dir="auto">
              {refusal}
            </span>
          )}
        </>
      ),
    },
    { head: 'Status', width: '10%', cell: ({ status }) => <StatusMark status={status} /> },
    { head: 'ms', width: '8%', align: 'end', wideOnly: true, cell: ({ ms }) => formatNumber(ms) },
    { head: 'Items', width: '8%', align: 'end', wideOnly: true, cell: ({ items }) => formatCount(items) },
    { head: 'Key', width: '12%', wideOnly: true, cell: ({ key }) => key ?? '-' },
    {
      head: 'Id',
      width: '10%',
      wideOnly: true,
      cell: ({ id }) => (
        <span className={styles.id} title={id}>
          {shortId(id)}
        </span>
      ),
    },
    { head: 'Machine time', width: '10%', align: 'end', cell: ({ at }) => <Moment at={at} /> },
  ]
  return (
    <Table
      caption="Requests"
      columns={columns}
      rows={requests}
      keyOf={({ id }) => id}
      chosen={chosen}
      dimmed={dimmed}
      onChoose={({ id }) => onChoose(id)}
    />
  )
}
