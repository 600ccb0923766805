import { useQuery } from '@tanstack/react-query'
import { type GetAdminPeopleIdEntriesReply, getAdminPeopleIdEntries } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { NameCell } from '../../frame/head-list.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './person-page.module.css'

type Entry = GetAdminPeopleIdEntriesReply['entries'][number]

/** The canvases and campaigns in which a person is or was. */
export function PersonFlows({ id, onWhy }: { id: string; onWhy: (about: string) => void }) {
  const { workspace, zoneLabel, may } = useViewer()
  const operation = getAdminPeopleIdEntries(id, { workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  if (read.isPending) return <LoadingRows what="canvases" />
  if (read.isError) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  const { entries, has_more } = read.data
  if (entries.length === 0) {
    return (
      <Empty
        title="The person has not entered any canvas or campaign"
        actions={<Button onClick={() => onWhy('canvas')}>Why not ...?</Button>}
      >
        Canvases and campaigns that the person enters appear here, with the step at which the person stands.
      </Empty>
    )
  }
  const columns = columnsOf({
    zoneLabel,
    runOf: (entry) => (may(abilityOf[entry.flow.kind]) ? pathOfRun(workspace.id, entry) : undefined),
    onWhy,
  })
  return (
    <div className={styles.sheet}>
      <Table
        caption="Canvases and campaigns"
        columns={columns}
        rows={entries}
        keyOf={({ entry_id }) => entry_id}
        onChoose={(entry) => onWhy(aboutOf(entry))}
      />
      {has_more && <Note>{`These are the first ${entries.length}. There are more.`}</Note>}
    </div>
  )
}

const abilityOf = { canvas: 'canvases.read', campaign: 'campaigns.read' } as const

function aboutOf({ flow }: Entry): string {
  return `${flow.kind}:${flow.id}`
}

function pathOfRun(workspace: string, { flow: { kind, id }, entry_id }: Entry): string {
  return paths.run(kind === 'canvas' ? paths.canvas(workspace, id) : paths.campaign(workspace, id), entry_id)
}

type ColumnsOf = {
  zoneLabel: string
  /** The page of a run; undefined when the viewer may not see it. */
  runOf: (entry: Entry) => string | undefined
  onWhy: (about: string) => void
}

function columnsOf({ zoneLabel, runOf, onWhy }: ColumnsOf): Column<Entry>[] {
  return [
    {
      head: 'Canvas or campaign',
      width: '21%',
      cell: (entry) => <NameCell name={entry.flow.name} to={runOf(entry)} />,
    },
    {
      head: 'Where the person stands',
      width: '33%',
      wraps: true,
      cell: ({ family, sentence }) => (family === null ? sentence : <Mark family={family}>{sentence}</Mark>),
    },
    { head: 'Step', width: '12%', wideOnly: true, cell: ({ step_name, step }) => step_name ?? step ?? '-' },
    {
      head: `Entered (${zoneLabel})`,
      width: '13%',
      align: 'end',
      cell: ({ entered_at }) => <Moment at={entered_at} />,
    },
    {
      head: `Until (${zoneLabel})`,
      width: '13%',
      align: 'end',
      wideOnly: true,
      cell: ({ until, ended_at }) => <MomentOrNone at={until ?? ended_at} />,
    },
    {
      head: 'Why',
      width: '8%',
      align: 'end',
      cell: (entry) => (
        <Button
          look="quiet"
          className={styles.link}
          aria-label={`Why? ${entry.flow.name}`}
          onClick={() => onWhy(aboutOf(entry))}
        >
          Why?
        </Button>
      ),
    },
  ]
}

function MomentOrNone({ at }: { at: string | null }) {
  return at === null ? '-' : <Moment at={at} />
}
