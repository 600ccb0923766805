import { Link, useNavigate } from '@tanstack/react-router'
import { getAdminHeadsCampaigns, getAdminHeadsCanvases } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { useReason } from '../../frame/permit.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Mark } from '../../ui/mark.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import {
  type Flow,
  type FlowKind,
  familyOf,
  pathOfEditor,
  pathOfFlow,
  titles,
  type UnpublishedDraft,
} from './flow-words.ts'

/** Journeys of several steps. */
export function CanvasesPage() {
  const { workspace } = useViewer()
  return (
    <HeadList
      {...about('canvas', workspace.id)}
      operation={getAdminHeadsCanvases({ workspace: workspace.id })}
      headsOf={({ canvases, drafts }) => [...drafts, ...canvases]}
      sentence="Journeys of several steps. Entered and sent are those of the last seven days."
      actions={<NewCanvas />}
      empty={
        <Empty title="There are no canvases" actions={<NewCanvas />}>
          A canvas leads people through messages, waits and decisions. Begin one from an example, or write one into the
          workspace file and send it with <code>easel apply</code>.
        </Empty>
      }
    />
  )
}

/** A link to the page on which a canvas is begun. Somebody who may not edit sees there why. */
function NewCanvas() {
  const { workspace } = useViewer()
  return (
    <Link to={paths.canvasNew(workspace.id)} className={buttonClass('main')}>
      New canvas
    </Link>
  )
}

/** Single messages in variants. */
export function CampaignsPage() {
  const { workspace } = useViewer()
  return (
    <HeadList
      {...about('campaign', workspace.id)}
      operation={getAdminHeadsCampaigns({ workspace: workspace.id })}
      headsOf={({ campaigns, drafts }) => [...drafts, ...campaigns]}
      sentence="Single messages, in one variant or several. Entered and sent are those of the last seven days."
      actions={<NewCampaign />}
      empty={
        <Empty title="There are no campaigns" actions={<NewCampaign />}>
          A campaign sends one message, in one variant or several. Make one here, or write one into the workspace file
          and send it with <code>easel apply</code>.
        </Empty>
      }
    />
  )
}

/** A link to the editor of a campaign with a new id. */
function NewCampaign() {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const reason = useReason('campaigns.edit')
  const make = () => void navigate({ to: paths.campaignEdit(workspace.id, crypto.randomUUID()) })
  return (
    <Button look="main" disabledReason={reason} onClick={make}>
      New campaign
    </Button>
  )
}

/** A row: a flow, or the draft of one that was never published. */
type Listed = Flow | UnpublishedDraft

function isFlow(row: Listed): row is Flow {
  return 'state' in row
}

function about(kind: FlowKind, workspace: string) {
  const pathOf = (id: string, row: Listed) => (isFlow(row) ? pathOfFlow : pathOfEditor)(kind, workspace, id)
  return { title: titles[kind], what: titles[kind].toLowerCase(), pathOf, columns: columnsOf(pathOf) }
}

function columnsOf(pathOf: (id: string, row: Listed) => string): Column<Listed>[] {
  return [
    {
      head: 'Name',
      width: '23%',
      cell: (row) => <NameCell name={row.name} to={pathOf(row.id, row)} more={moreOf(row)} />,
    },
    {
      head: 'State',
      width: '15%',
      cell: (row) =>
        isFlow(row) ? (
          <Mark family={familyOf[row.state]}>{row.state}</Mark>
        ) : (
          <Mark family="control">not published</Mark>
        ),
    },
    {
      head: 'How people enter',
      wraps: true,
      width: '21%',
      wideOnly: true,
      cell: (row) => (isFlow(row) ? <span dir="auto">{row.sentence}</span> : 'Nobody enters before it is published.'),
    },
    { head: 'In it now', width: '9%', align: 'end', cell: (row) => countIn(row, 'waiting') },
    { head: 'Entered', width: '9%', align: 'end', wideOnly: true, cell: (row) => countIn(row, 'entered') },
    { head: 'Sent', width: '9%', align: 'end', cell: (row) => countIn(row, 'sent') },
    {
      head: 'Changed',
      width: '14%',
      align: 'end',
      wideOnly: true,
      cell: ({ updated_at }) => <Moment at={updated_at} />,
    },
  ]
}

function countIn(row: Listed, figure: 'waiting' | 'entered' | 'sent'): string {
  return isFlow(row) ? formatCount(row[figure]) : '-'
}

/** Returns the line below a name: who edits it, or what it is for. */
function moreOf(row: Listed): string {
  if (!isFlow(row)) return `draft by ${row.author.name}`
  return row.draft ? `changed in a draft by ${row.draft.author.name}` : row.description
}
