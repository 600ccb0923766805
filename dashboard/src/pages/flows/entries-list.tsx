import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { GetAdminCanvasesIdEntriesQuery } from '../../api/generated.ts'
import { polling } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { displayName } from '../../words/people.ts'
import styles from './entries-list.module.css'
import { type Entry, entriesOf, type FlowRef, pathOfRun } from './flow-words.ts'

const everyMs = 10_000

type EntriesListProps = {
  flow: FlowRef
  filter: Omit<GetAdminCanvasesIdEntriesQuery, 'workspace' | 'cursor'>
  cursor: string | undefined
  onCursor: (cursor: string | undefined) => void
  /** What is shown when nobody is listed. */
  empty: ReactNode
  /** In a side panel, where fewer columns have room. */
  isSmall?: boolean
  /** The entry whose panel is open. */
  chosen?: string | undefined
  onChoose?: (id: string) => void
}

/** A page of the people who are or were in a flow, with what each waits for. */
export function EntriesList(props: EntriesListProps) {
  const { flow, filter, cursor, onCursor, empty, isSmall, chosen, onChoose } = props
  const { workspace } = useViewer()
  const operation = entriesOf[flow.kind](flow.id, { ...filter, cursor, workspace: workspace.id })
  const read = useQuery({ ...polling(operation, everyMs), placeholderData: keepPreviousData })
  const columns = useColumns(flow)
  const small = useSmallColumns(flow)
  if (read.isPending) return <LoadingRows what="people" />
  if (read.data === undefined) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const { entries, searched_until, cursor: next } = read.data
  return (
    <>
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {entries.length > 0 && (
        <Table
          caption="People"
          columns={isSmall ? small : columns}
          rows={entries}
          keyOf={({ entry_id }) => entry_id}
          chosen={chosen}
          dimmed={read.isPlaceholderData}
          {...(onChoose && { onChoose: ({ entry_id }: Entry) => onChoose(entry_id) })}
        />
      )}
      {entries.length === 0 && (next === undefined ? empty : <NoneSoFar />)}
      {searched_until !== null && (
        <Note>
          Searched back to those who entered <Moment at={searched_until} full />.
        </Note>
      )}
      {(cursor !== undefined || next !== undefined) && (
        <div className={styles.pages}>
          {cursor !== undefined && <Button onClick={() => onCursor(undefined)}>Newest</Button>}
          {next !== undefined && (
            <Button onClick={() => onCursor(next)}>{searched_until === null ? 'Older' : 'Search further back'}</Button>
          )}
        </div>
      )}
    </>
  )
}

function NoneSoFar() {
  return (
    <Empty title="None so far">
      Those who entered last were looked at. Search further back for people who are longer in it.
    </Empty>
  )
}

function useColumns(flow: FlowRef): readonly Column<Entry>[] {
  const { workspace, zoneLabel } = useViewer()
  return [
    {
      ...{ head: 'Person', width: '20%' },
      cell: (entry) => <WayLink entry={entry} to={pathOfRun(flow, workspace.id, entry.entry_id)} />,
    },
    {
      ...{ head: flow.kind === 'canvas' ? 'Step' : 'Message', width: '18%', wraps: true, wideOnly: true },
      cell: ({ step, step_name }) => <span dir="auto">{step_name ?? step ?? '-'}</span>,
    },
    { head: 'Waits for', wraps: true, cell: (entry) => <WaitsFor entry={entry} /> },
    {
      ...{ head: `Since (${zoneLabel})`, width: '12%', align: 'end' },
      cell: (entry) => <Since entry={entry} />,
    },
    {
      ...{ head: `Until (${zoneLabel})`, width: '12%', align: 'end' },
      cell: ({ until }) => <MomentOrNone word="until" at={until} />,
    },
    { head: 'Version', width: '9%', align: 'end', wideOnly: true, cell: ({ version }) => version },
    { head: 'Profile', width: '9%', align: 'end', cell: ({ person }) => <ProfileLink person={person} /> },
  ]
}

/** The same in three columns. */
function useSmallColumns(flow: FlowRef): readonly Column<Entry>[] {
  const { workspace, zoneLabel } = useViewer()
  return [
    {
      ...{ head: 'Person', width: '32%', wraps: true },
      cell: (entry) => (
        <>
          <WayLink entry={entry} to={pathOfRun(flow, workspace.id, entry.entry_id)} />
          <div className={styles.second}>
            <ProfileLink person={entry.person} />
          </div>
        </>
      ),
    },
    {
      ...{ head: 'Waits for', wraps: true },
      cell: (entry) => (
        <>
          <WaitsFor entry={entry} />
          {entry.until !== null && (
            <div className={styles.second}>
              until <Moment at={entry.until} />
            </div>
          )}
        </>
      ),
    },
    { head: `Since (${zoneLabel})`, width: '26%', align: 'end', cell: (entry) => <Since entry={entry} /> },
  ]
}

/** The name of a person, which leads to the way through the flow. */
function WayLink({ entry: { person }, to }: { entry: Entry; to: string }) {
  // The server leaves out who it is for those without people.read.
  if (person === null) return 'not shown to you'
  return (
    <Link to={to} dir="auto" title="How this person went through it">
      {displayName(person)}
    </Link>
  )
}

function ProfileLink({ person }: Pick<Entry, 'person'>) {
  const { workspace } = useViewer()
  if (person === null) return '-'
  return (
    <Link to={paths.person(workspace.id, person.id)} aria-label={`Profile of ${displayName(person)}`}>
      Profile
    </Link>
  )
}

/** What the person waits for, or how the entry ended. */
export function WaitsFor({ entry: { family, held, sentence, waits_for, reason } }: { entry: Entry }) {
  const words = waits_for ?? (reason ?? 'its turn').replaceAll('_', ' ')
  return <span title={sentence}>{family === null ? words : <Mark family={held ? 'held' : family}>{words}</Mark>}</span>
}

/** Since when the person is at the step, or when the entry ended. */
function Since({ entry: { is_open, arrived_at, ended_at } }: { entry: Entry }) {
  return <MomentOrNone word={is_open ? 'since' : 'ended'} at={is_open ? arrived_at : ended_at} />
}

/** A moment. The word before it stands only where the table has no heads. */
export function MomentOrNone({ word, at }: { word: string; at: string | null }) {
  if (at === null) return '-'
  return (
    <>
      <span className={styles.word}>{word} </span>
      <Moment at={at} />
    </>
  )
}
