import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Pause, Play } from 'lucide-react'
import { useState } from 'react'
import { type GetAdminRequestsQuery, getAdminRequests, getAdminRequestsLimits } from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Code, Empty } from '../../ui/states.tsx'
import { RequestPanel } from './request-panel.tsx'
import { RequestsTable } from './requests-table.tsx'

type LogSearch = Readonly<
  Partial<Record<'status' | 'method' | 'path' | 'key' | 'request_id' | 'text' | 'cursor' | 'panel', string>>
>

const everyMs = 3_000
const noFilters = {
  status: undefined,
  method: undefined,
  path: undefined,
  key: undefined,
  request_id: undefined,
  text: undefined,
  cursor: undefined,
}

/** The latest requests of the workspace, as this process has answered them. */
export function ApiLogPage() {
  const { workspace } = useViewer()
  const [{ panel: _, ...filters }, change] = usePageSearch<LogSearch>()
  const [chosen, choose] = usePanel('request')
  const [isPaused, setIsPaused] = useState(false)
  const operation = getAdminRequests({ ...filters, workspace: workspace.id } as GetAdminRequestsQuery)
  // An older page stays as it is.
  const isLive = !isPaused && filters.cursor === undefined
  const requests = useQuery({
    ...(isLive ? polling(operation, everyMs) : reading(operation)),
    placeholderData: keepPreviousData,
  })
  useFeed(operation)
  const filter = (some: LogSearch) => change({ ...some, cursor: undefined, panel: undefined })
  const { cursor, ...given } = filters
  const isFiltered = Object.keys(given).length > 0
  return (
    <ListPage
      title="API log"
      what="requests"
      query={requests}
      head={
        <Button onClick={() => setIsPaused(!isPaused)} aria-pressed={isPaused}>
          {isPaused ? <Play size={16} aria-hidden /> : <Pause size={16} aria-hidden />}
          {isPaused ? 'Go on' : 'Pause'}
        </Button>
      }
      filters={<LogFilters given={given} isFiltered={isFiltered} onFilter={filter} />}
      sentence={
        requests.data && `Answered by the process ${requests.data.process}. Newest first, by the machine's clock.`
      }
      isEmpty={(reply) => reply.requests.length === 0}
      empty={<NoRequests isFiltered={isFiltered} isRecording={requests.data?.recording ?? true} />}
      pages={
        <>
          {cursor !== undefined && <Button onClick={() => change({ cursor: undefined })}>Newest</Button>}
          {requests.data?.cursor && <Button onClick={() => change({ cursor: requests.data.cursor! })}>Older</Button>}
        </>
      }
      panel={chosen && <RequestPanel id={chosen} onClose={() => choose(undefined)} />}
    >
      {(reply) => (
        <RequestsTable
          requests={reply.requests}
          chosen={chosen}
          dimmed={requests.isPlaceholderData}
          onChoose={choose}
        />
      )}
    </ListPage>
  )
}

const classes = ['2xx', '3xx', '4xx', '5xx'].map((value) => ({ value, label: value }))
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].map((value) => ({ value, label: value }))

type LogFiltersProps = { given: LogSearch; isFiltered: boolean; onFilter: (some: LogSearch) => void }

function LogFilters({ given, isFiltered, onFilter }: LogFiltersProps) {
  const { maxLength } = getAdminRequestsLimits.text
  const text = (label: string, name: 'path' | 'key' | 'request_id' | 'text', placeholder: string) => (
    <TextFilter
      label={label}
      value={given[name]}
      placeholder={placeholder}
      maxLength={maxLength}
      onChange={(value) => onFilter({ [name]: value })}
    />
  )
  return (
    <Filters isFiltered={isFiltered} onDrop={() => onFilter(noFilters as unknown as LogSearch)}>
      <SelectFilter
        label="Status"
        value={given.status}
        options={classes}
        onChange={(status) => onFilter({ status } as LogSearch)}
      />
      <SelectFilter
        label="Method"
        value={given.method}
        options={methods}
        onChange={(method) => onFilter({ method } as LogSearch)}
      />
      {text('Path', 'path', '/users/track')}
      {text('Key', 'key', 'name or id')}
      {text('Text', 'text', 'in the URL or a body')}
      {text('Request id', 'request_id', '')}
    </Filters>
  )
}

const firstCall = `curl ${location.origin}/users/track \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"events": [{"external_id": "ada", "name": "project_created", "time": "${new Date().toISOString()}"}]}'`

function NoRequests({ isFiltered, isRecording }: { isFiltered: boolean; isRecording: boolean }) {
  if (!isRecording) {
    return (
      <Empty title="Requests are not recorded in this workspace">
        The setting api_log is off. Requests appear here when it is on.
      </Empty>
    )
  }
  if (isFiltered) return <Empty title="No kept request matches these filters">Each request is kept for an hour.</Empty>
  return (
    <Empty title="There are no requests yet">
      <p>
        Requests of your systems appear here for an hour: every refused one, and up to ten successful ones a second. Try
        one:
      </p>
      <Code>{firstCall}</Code>
    </Empty>
  )
}
