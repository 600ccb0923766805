import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type GetAdminWorkQuery, getAdminWork } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { usePageSearch } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import { WorkTable } from './work-table.tsx'

type WorkSearch = Readonly<Partial<Record<'kind' | 'state' | 'outcome' | 'request_id' | 'cursor', string>>>

/** Accepted merges, deletions and identifications, with what became of each. */
export function WorkPage() {
  const { workspace } = useViewer()
  const [search, change] = usePageSearch<WorkSearch>()
  const { cursor, ...given } = search
  const operation = getAdminWork({ ...search, workspace: workspace.id } as GetAdminWorkQuery)
  const work = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const isFiltered = Object.keys(given).length > 0
  const filter = (some: Readonly<Record<string, string | undefined>>) =>
    change({ ...some, cursor: undefined } as object)
  return (
    <ListPage
      title="Work"
      what="work items"
      query={work}
      filters={
        <Filters
          isFiltered={isFiltered}
          onDrop={() => filter({ kind: undefined, state: undefined, outcome: undefined, request_id: undefined })}
        >
          <SelectFilter label="Kind" value={given.kind} options={kinds} onChange={(kind) => filter({ kind })} />
          <SelectFilter label="State" value={given.state} options={states} onChange={(state) => filter({ state })} />
          <SelectFilter
            label="Outcome"
            value={given.outcome}
            options={outcomes}
            onChange={(outcome) => filter({ outcome })}
          />
          <TextFilter label="Request id" value={given.request_id} onChange={(request_id) => filter({ request_id })} />
        </Filters>
      }
      sentence="Merges, deletions and identifications of people that your systems have asked for. Newest first."
      isEmpty={(reply) => reply.work.length === 0}
      empty={
        isFiltered ? (
          <Empty title="No work matches these filters">Items are kept for 30 days.</Empty>
        ) : (
          <Empty title="There is no work">
            Merges, deletions and identifications of people appear here when your systems ask for them.
          </Empty>
        )
      }
      pages={
        <>
          {cursor !== undefined && <Button onClick={() => filter({})}>Newest</Button>}
          {work.data?.cursor && <Button onClick={() => change({ cursor: work.data.cursor! })}>Older</Button>}
        </>
      }
    >
      {(reply) => <WorkTable work={reply.work} dimmed={work.isPlaceholderData} />}
    </ListPage>
  )
}

function choices(names: readonly string[]) {
  return names.map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}

const kinds = choices(['merge', 'delete', 'identify'])
const states = choices(['waiting', 'moving', 'done'])
const outcomes = choices([
  ...['done', 'nobody_matched', 'several_matched', 'same_person', 'already_identified', 'label_taken'],
  ...['discarded', 'failed'],
])
