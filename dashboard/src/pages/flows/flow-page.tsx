import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  type GetAdminCanvasesIdStandingReply,
  getAdminCampaignsId,
  getAdminCampaignsIdStanding,
  getAdminCanvasesId,
  getAdminCanvasesIdStanding,
  getAdminHeadsCampaigns,
  getAdminHeadsCanvases,
} from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { usePageSearch, usePanel } from '../../frame/search.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts, Note } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatCount } from '../../words/numbers.ts'
import { FlowActions } from './flow-actions.tsx'
import styles from './flow-page.module.css'
import { FlowTabs } from './flow-tabs.tsx'
import { type Flow, type FlowKind, familyOf, pathOfFlow, pathOfFlows, titles } from './flow-words.ts'
import { type OutlinedStep, outlineOf, type Way } from './outline.ts'
import { versionOf } from './run-content.tsx'
import { StepPanel } from './step-panel.tsx'

type Counts = GetAdminCanvasesIdStandingReply['steps']

/** One canvas: how people enter it, how many are in it, and its steps. */
export function CanvasPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      {...aboutPage('canvas', workspace.id)}
      operation={getAdminHeadsCanvases({ workspace: workspace.id })}
      headsOf={({ canvases }) => canvases}
    />
  )
}

/** One campaign: who gets it, and its messages. */
export function CampaignPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      {...aboutPage('campaign', workspace.id)}
      operation={getAdminHeadsCampaigns({ workspace: workspace.id })}
      headsOf={({ campaigns }) => campaigns}
    />
  )
}

function aboutPage(kind: FlowKind, workspace: string) {
  return {
    list: { title: titles[kind], one: kind, path: pathOfFlows(kind, workspace) },
    sentence: ({ sentence }: Flow) => sentence,
    actions: (flow: Flow) => <FlowActions kind={kind} flow={flow} />,
    children: (flow: Flow) => <FlowTabs kind={kind} flow={flow} overview={<FlowParts kind={kind} flow={flow} />} />,
  }
}

function FlowParts({ kind, flow }: { kind: FlowKind; flow: Flow }) {
  const { workspace, may } = useViewer()
  const { id, description, state, tags, version, waiting, entered, sent, last_sent_at, updated_at } = flow
  return (
    <>
      <Card title="How it is">
        <Facts
          facts={[
            ...(description === '' ? [] : [{ name: 'Description', value: description }]),
            { name: 'State', value: <Mark family={familyOf[state]}>{state}</Mark> },
            { name: 'Version', value: formatCount(version) },
            { name: 'Kind', value: flow.class },
            ...(tags.length === 0 ? [] : [{ name: 'Tags', value: tags.join(', ') }]),
            { name: 'In it now', value: formatCount(waiting) },
            { name: 'Entered in 7 days', value: formatCount(entered) },
            { name: 'Sent in 7 days', value: formatCount(sent) },
            { name: 'Last sent', value: last_sent_at === null ? 'never' : <Moment at={last_sent_at} full /> },
            { name: 'Changed', value: <Moment at={updated_at} full /> },
            ...(may('messages.read')
              ? [
                  {
                    name: 'Messages',
                    value: <Link to={paths.messages(workspace.id, { flow: id })}>Show its messages</Link>,
                  },
                ]
              : []),
          ]}
        />
      </Card>
      <Steps kind={kind} id={id} />
    </>
  )
}

function Steps({ kind, id }: { kind: FlowKind; id: string }) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const canvas = useQuery({ ...reading(getAdminCanvasesId(id, query)), enabled: kind === 'canvas' })
  const campaign = useQuery({ ...reading(getAdminCampaignsId(id, query)), enabled: kind === 'campaign' })
  const [{ version }] = usePageSearch<{ version?: string }>()
  const older = useQuery({ ...reading(versionOf[kind](id, version ?? '', query)), enabled: version !== undefined })
  const read = version !== undefined ? older : kind === 'canvas' ? canvas : campaign
  const current = kind === 'canvas' ? canvas.data?.canvas : campaign.data?.campaign
  const definition = version === undefined ? current : older.data?.definition
  if (definition === undefined) return <NoAnswer read={read} what="the steps" />
  return (
    <>
      <div className={styles.wide}>
        <StepsCard kind={kind} id={id} version={version} steps={outlineOf(definition)} />
      </div>
      <div className={styles.wide}>
        <Card title="As it is written">
          <CodeBlock label="The definition">{JSON.stringify(definition, null, 2)}</CodeBlock>
        </Card>
      </div>
    </>
  )
}

const countsEveryMs = 5_000

type StepsCardProps = {
  kind: FlowKind
  id: string
  version: string | undefined
  steps: readonly OutlinedStep[]
}

/** The steps with their counts, which are read again and again. */
function StepsCard({ kind, id, version, steps }: StepsCardProps) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id, ...(version !== undefined && { version: Number(version) }) }
  const standing = useQuery({
    ...polling(standingOf[kind](id, query), countsEveryMs),
    placeholderData: keepPreviousData,
  })
  const [chosen, choose] = usePanel('step')
  const open = steps.find((step) => step.id === chosen)
  const title = kind === 'canvas' ? 'Steps' : 'Messages'
  const columns = columnsOf(kind, standing.data?.steps ?? {})
  return (
    <Card title={title}>
      {standing.isError && <Failure error={standing.error} onRetry={() => void standing.refetch()} />}
      <Table
        caption={title}
        columns={columns}
        rows={steps}
        keyOf={(step) => step.id}
        chosen={chosen}
        onChoose={(step) => choose(step.id)}
      />
      {version !== undefined && (
        <Note>
          This is version {version}. <Link to={pathOfFlow(kind, workspace.id, id)}>Show the current version</Link>
        </Note>
      )}
      <Note>Counts are those of this version. Steps passed before Easel counted them are missing.</Note>
      {open && <StepPanel flow={{ kind, id }} step={open.id} name={open.name} onClose={() => choose(undefined)} />}
    </Card>
  )
}

const standingOf = { canvas: getAdminCanvasesIdStanding, campaign: getAdminCampaignsIdStanding } as const

function columnsOf(kind: FlowKind, steps: Counts): Column<OutlinedStep>[] {
  const count = (head: string, of: (counts: Counts[string]) => number): Column<OutlinedStep> => ({
    ...{ head, width: '9%', align: 'end', wideOnly: head !== 'Here now' },
    // A step that nobody has reached has no counts yet.
    cell: ({ id }) => formatCount(Object.hasOwn(steps, id) ? of(steps[id]!) : 0),
  })
  return [
    { head: 'Step', width: '18%', wraps: true, cell: ({ name }) => <span dir="auto">{name}</span> },
    { head: 'What it does', wraps: true, cell: ({ what }) => <span dir="auto">{what}</span> },
    count('Here now', ({ waiting }) => waiting),
    ...(kind === 'canvas' ? [count('Passed', ({ passed }) => passed)] : []),
    count('Sent', ({ sent }) => sent),
    count('Not sent', ({ failed }) => failed),
    ...(kind === 'canvas' ? [wayColumn(steps)] : []),
  ]
}

function wayColumn(steps: Counts): Column<OutlinedStep> {
  return {
    head: 'Then',
    width: '24%',
    wraps: true,
    cell: ({ id, ways }) => (
      <>
        {ways.map((way) => (
          <div key={way.path} dir="auto">
            {way.when !== '' && `${way.when}: `}
            {way.to ?? 'the end'}
            {ways.length > 1 && ` (${formatCount(takenBy(way, steps[id]))})`}
          </div>
        ))}
      </>
    ),
  }
}

/** How often a path was taken. */
function takenBy({ path }: Way, counts: Counts[string] | undefined): number {
  return counts !== undefined && Object.hasOwn(counts.paths, path) ? counts.paths[path]! : 0
}
