import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminSuppressions,
  type GetAdminSuppressionsQuery,
  type GetAdminSuppressionsReply,
  getAdminSuppressions,
  postAdminSuppressions,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { usePageSearch } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { NewSuppression, type Reason, reasons } from './new-suppression.tsx'

type SuppressionSearch = Readonly<Partial<Record<'address' | 'reason' | 'cursor', string>>>
type Suppression = GetAdminSuppressionsReply['suppressions'][number]

const choices = Object.entries(reasons).map(([value, label]) => ({ value, label }))

/** Addresses to which nothing is sent. */
export function SuppressionsPage() {
  const { workspace } = useViewer()
  const [search, change] = usePageSearch<SuppressionSearch>()
  const { address, reason, cursor } = search
  const operation = getAdminSuppressions({ workspace: workspace.id, ...search } as GetAdminSuppressionsQuery)
  const suppressions = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const [isAdding, setIsAdding] = useState(false)
  const filter = (some: Readonly<Record<string, string | undefined>>) =>
    change({ ...some, cursor: undefined } as object)
  const isFiltered = address !== undefined || reason !== undefined
  const add = (
    <Button look="main" disabledReason={useReason('suppressions.edit')} onClick={() => setIsAdding(true)}>
      Add addresses
    </Button>
  )
  return (
    <>
      <ListPage
        title="Suppressions"
        what="suppressions"
        query={suppressions}
        head={add}
        filters={
          <Filters isFiltered={isFiltered} onDrop={() => filter({ address: undefined, reason: undefined })}>
            <TextFilter
              label="Address"
              value={address}
              placeholder="ada@example.com"
              onChange={(next) => filter({ address: next })}
            />
            <SelectFilter
              label="Reason"
              value={reason}
              options={choices}
              onChange={(next) => filter({ reason: next })}
            />
          </Filters>
        }
        sentence="Nothing is sent to these addresses. Newest first."
        isEmpty={(reply) => reply.suppressions.length === 0}
        empty={
          isFiltered ? (
            <Empty title="No suppression matches these filters">The address is compared as a whole.</Empty>
          ) : (
            <Empty title="No address is suppressed" actions={add}>
              Addresses come here when a mail bounces for good, when somebody reports a mail as spam, or when you add
              them.
            </Empty>
          )
        }
        pages={
          <>
            {cursor !== undefined && <Button onClick={() => filter({})}>Newest</Button>}
            {suppressions.data?.cursor && (
              <Button onClick={() => change({ cursor: suppressions.data.cursor! })}>Older</Button>
            )}
          </>
        }
      >
        {(reply) => <SuppressionsTable rows={reply.suppressions} dimmed={suppressions.isPlaceholderData} />}
      </ListPage>
      {isAdding && <NewSuppression onClose={() => setIsAdding(false)} />}
    </>
  )
}

function SuppressionsTable({ rows, dimmed }: { rows: readonly Suppression[]; dimmed: boolean }) {
  const { workspace } = useViewer()
  const permit = useReason('suppressions.edit')
  const remove = useWrite({
    request: ({ address, reason }: { address: string; reason: Reason; told: string | null }) =>
      deleteAdminSuppressions({ email: address, reason }, { workspace: workspace.id }),
    said: (_reply, { address }) => `${address} is not suppressed for this reason any more.`,
    undo: (_reply, { address, reason, told }) =>
      postAdminSuppressions({ email: address, reason, ...(told !== null && { told }) }, { workspace: workspace.id }),
  })
  const columns: Column<Suppression>[] = [
    { head: 'Address', width: '30%', cell: ({ address }) => address ?? 'of a deleted person' },
    { head: 'Reason', width: '18%', cell: ({ reason }) => reasons[reason] },
    { head: 'What was said', width: '28%', wideOnly: true, cell: ({ told }) => <span dir="auto">{told ?? '-'}</span> },
    { head: 'Since', width: '12%', align: 'end', cell: ({ at }) => <Moment at={at} /> },
    {
      head: 'Actions',
      width: '12%',
      cell: ({ address, reason, told }) =>
        address !== null && (
          <Button
            disabledReason={remove.isPending ? 'The request is on its way.' : permit}
            aria-label={`Take back ${address}, ${reasons[reason]}`}
            onClick={() => remove.mutate({ address, reason, told })}
          >
            Take back
          </Button>
        ),
    },
  ]
  return (
    <Table
      caption="Suppressions"
      columns={columns}
      rows={rows}
      keyOf={({ address, reason, at }) => `${address} ${reason} ${at}`}
      dimmed={dimmed}
    />
  )
}
