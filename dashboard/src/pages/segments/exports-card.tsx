import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { root } from '../../api/call.ts'
import { type GetAdminExportsReply, getAdminExports } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatBytes, formatCount, formatEstimate } from '../../words/numbers.ts'
import styles from './cards.module.css'
import { ExportDialog } from './export-dialog.tsx'

type Exports = GetAdminExportsReply
type Export = Exports['exports'][number]

const exportsShown = 10
/** While an export is being written its progress is read this often. */
const everyMs = 2_000

type ExportsCardProps = { segment: { readonly id: string; readonly name: string } }

/** The files with the people of a segment, and the button that asks for another one. */
export function ExportsCard({ segment }: ExportsCardProps) {
  const reason = useReason('people.export')
  if (reason === undefined) return <Exported segment={segment} />
  return (
    <Card title="Exports">
      <div className={styles.buttons}>
        <Button disabledReason={reason}>Export the people</Button>
      </div>
    </Card>
  )
}

function Exported({ segment: { id, name } }: ExportsCardProps) {
  const { workspace } = useViewer()
  const [isAsking, setIsAsking] = useState(false)
  const operation = getAdminExports({ workspace: workspace.id, segment_id: id, limit: exportsShown })
  const read = useQuery({
    ...reading(operation),
    refetchInterval: ({ state }) => (state.data?.exports.some(isUnderWay) ? everyMs : false),
  })
  return (
    <Card title="Exports">
      {read.data === undefined ? (
        <NoAnswer read={read} what="the exports" />
      ) : (
        <>
          {read.data.exports.length === 0 ? (
            <Note>There is no file with the people of this segment now. A file is kept for four hours.</Note>
          ) : (
            <Table
              caption="Exports"
              columns={columns}
              rows={read.data.exports}
              keyOf={({ object_prefix }) => object_prefix}
            />
          )}
          <div className={styles.buttons}>
            <Button
              disabledReason={read.data.exports.some(isUnderWay) ? 'An export of it is being written.' : undefined}
              onClick={() => setIsAsking(true)}
            >
              Export the people
            </Button>
          </div>
          {isAsking && (
            <ExportDialog id={id} name={name} fields={read.data.fields} onClose={() => setIsAsking(false)} />
          )}
        </>
      )}
    </Card>
  )
}

function isUnderWay({ state }: Export): boolean {
  return state === 'waiting' || state === 'running'
}

const columns: readonly Column<Export>[] = [
  { head: 'Asked', width: '18%', cell: ({ created_at }) => <Moment at={created_at} /> },
  { head: 'State', width: '32%', wraps: true, cell: (one) => <State of={one} /> },
  {
    head: 'People',
    width: '16%',
    align: 'end',
    wideOnly: true,
    cell: ({ people, state }) => (state === 'waiting' ? '-' : formatCount(people)),
  },
  { head: 'File', width: '34%', wraps: true, cell: (one) => <File of={one} /> },
]

function State({ of: { state, people, people_in_all, failure } }: { of: Export }) {
  if (state === 'done') return <Mark family="sent">finished</Mark>
  if (state === 'failed') return <Mark family="failed">failed: {failure}</Mark>
  if (state === 'waiting') return <Mark family="waiting">waiting</Mark>
  const all = people_in_all === null ? '' : ` of ${formatEstimate(people_in_all)}`
  return (
    <Mark family="waiting">
      writing: {formatCount(people)}
      {all}
    </Mark>
  )
}

function File({ of: { path, bytes, expires_at, output_format } }: { of: Export }) {
  if (path === null) return '-'
  return (
    <>
      <a href={root + path.slice(1)} download>
        Download {output_format}
      </a>{' '}
      ({formatBytes(bytes)})
      {expires_at !== null && (
        <span className={styles.until}>
          until <Moment at={expires_at} />, machine time
        </span>
      )}
    </>
  )
}
