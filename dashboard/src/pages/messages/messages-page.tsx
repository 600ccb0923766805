import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type GetAdminMessagesQuery, getAdminMessages } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, SelectFilter, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Code, Empty } from '../../ui/states.tsx'
import { MessagePanel } from './message-panel.tsx'
import styles from './messages-page.module.css'
import { MessagesTable } from './messages-table.tsx'

const idNames = ['person', 'dispatch', 'flow', 'step', 'from', 'to'] as const
const filterNames = ['family', 'reason', 'state', 'address', ...idNames] as const
type MessagesSearch = Readonly<Partial<Record<string, string>>>

/** All messages, those that were not sent too, with what became of each. */
export function MessagesPage() {
  const { workspace } = useViewer()
  const [search, change] = usePageSearch<MessagesSearch>()
  const [chosen, choose] = usePanel('message')
  const given = Object.fromEntries(
    filterNames.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  )
  const { cursor } = search
  const operation = getAdminMessages({ ...given, cursor, workspace: workspace.id } as GetAdminMessagesQuery)
  const messages = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const filter = (some: MessagesSearch) => change({ ...some, cursor: undefined, panel: undefined })
  const isFiltered = Object.keys(given).length > 0
  const dropAll = () => filter(Object.fromEntries(filterNames.map((name) => [name, undefined])))
  const { searched_until, cursor: next } = messages.data ?? {}
  return (
    <ListPage
      title="Messages"
      what="messages"
      query={messages}
      filters={
        <Filters isFiltered={isFiltered} onDrop={dropAll}>
          <MessageFilters given={given} onChange={filter} />
        </Filters>
      }
      sentence={
        searched_until ? (
          <>
            Newest first. Searched back to <Moment at={searched_until} full />: there may be older ones.
          </>
        ) : (
          'Newest first, with what became of each message and why.'
        )
      }
      isEmpty={(reply) => reply.messages.length === 0}
      empty={<NoMessages isFiltered={isFiltered} mayBeOlder={next !== undefined} origin={location.origin} />}
      pages={
        <>
          {cursor !== undefined && <Button onClick={() => change({ cursor: undefined })}>Newest</Button>}
          {next !== undefined && (
            <Button onClick={() => change({ cursor: next })}>{searched_until ? 'Search further back' : 'Older'}</Button>
          )}
        </>
      }
      panel={chosen && <MessagePanel id={chosen} onClose={() => choose(undefined)} />}
    >
      {(reply) => (
        <MessagesTable
          messages={reply.messages}
          chosen={chosen}
          dimmed={messages.isPlaceholderData}
          onChoose={choose}
        />
      )}
    </ListPage>
  )
}

type FiltersProps = { given: MessagesSearch; onChange: (some: MessagesSearch) => void }

function MessageFilters({ given, onChange }: FiltersProps) {
  const text = (name: (typeof filterNames)[number], label: string, placeholder?: string) => (
    <TextFilter
      label={label}
      value={given[name]}
      {...(placeholder !== undefined && { placeholder })}
      onChange={(value) => onChange({ [name]: value })}
    />
  )
  return (
    <>
      <SelectFilter
        label="Outcome"
        value={given.family}
        options={families}
        onChange={(family) => onChange({ family })}
      />
      <SelectFilter label="State" value={given.state} options={states} onChange={(state) => onChange({ state })} />
      <SelectFilter label="Reason" value={given.reason} options={reasons} onChange={(reason) => onChange({ reason })} />
      {text('address', 'Address', 'ada@example.com')}
      <details className={styles.more} open={idNames.some((name) => given[name] !== undefined)}>
        <summary>By id and time</summary>
        <div className={styles.ids}>
          {text('person', 'Id of the person')}
          {text('dispatch', 'Id of the send')}
          {text('flow', 'Id of the canvas or campaign')}
          {text('step', 'Id of the step')}
          {text('from', 'Planned since', '2030-01-31T09:00:00Z')}
          {text('to', 'Planned before', '2030-01-31T10:00:00Z')}
        </div>
      </details>
    </>
  )
}

type NoMessagesProps = { isFiltered: boolean; mayBeOlder: boolean; origin: string }

function NoMessages({ isFiltered, mayBeOlder, origin }: NoMessagesProps) {
  if (mayBeOlder) {
    return (
      <Empty title="None so far">
        The newest messages were searched, and none of them matches these filters. Search further back below.
      </Empty>
    )
  }
  if (isFiltered) {
    return <Empty title="No message matches these filters">Addresses, ids and steps are compared as a whole.</Empty>
  }
  return (
    <Empty title="There are no messages">
      <p>Messages appear here when an order, a canvas or a campaign selects a person. An order is such a request:</p>
      <Code>{`curl -X POST ${origin}/messages/send \\
  -H "Authorization: Bearer $KEY" -H "Content-Type: application/json" \\
  -d '{"external_user_ids": ["ada"], "messages": {"email": {"app_id": "...", "from": "Shop <shop@example.com>",
       "subject": "Hello", "body": "<p>Hello</p>"}}}'`}</Code>
    </Empty>
  )
}

type Choice = { readonly value: string; readonly label: string }

function choices(...names: readonly string[]): Choice[] {
  return names.map((value) => ({ value, label: value.replaceAll('_', ' ') }))
}

const families = choices('sent', 'waiting', 'held', 'control', 'failed', 'uncertain')
const states = [
  { value: 'uncertain', label: 'uncertain, to be decided' },
  { value: 'set_aside', label: 'set aside, to be decided' },
  ...choices('queued', 'held', 'leased', 'handed_over', 'accepted', 'suppressed', 'aborted', 'cancelled', 'missed'),
  ...choices('bounced', 'failed'),
]
const reasons = choices(
  ...['sent', 'no_address', 'not_in_segment', 'not_in_audience', 'unsubscribed', 'group_unsubscribed', 'suppressed'],
  ...['frequency_capped', 'quiet_hours', 'control_group', 'global_control_group', 'local_time_passed', 'missed'],
  ...['cancelled', 'canvas_paused'],
  ...['aborted_by_template', 'template_error', 'attachment_failed', 'set_aside', 'refused_by_server', 'expired'],
  ...['uncertain', 'exited', 'merged'],
)
