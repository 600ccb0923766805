import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CallError } from '../../api/errors.ts'
import { getAdminCampaignsId, getAdminCanvasesId } from '../../api/generated.ts'
import { polling, reading } from '../../api/queries.ts'
import { NoPermission } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { Empty } from '../../ui/states.tsx'
import { displayName } from '../../words/people.ts'
import { type FlowKind, type FlowRef, pathOfFlow, pathOfFlows, titles } from './flow-words.ts'
import { RunContent, runsOf } from './run-content.tsx'
import styles from './run-page.module.css'

const everyMs = 5_000

/** How one person went through a canvas. */
export function CanvasRunPage() {
  return <RunPage kind="canvas" />
}

/** How one person went through a campaign. */
export function CampaignRunPage() {
  return <RunPage kind="campaign" />
}

function RunPage({ kind }: { kind: FlowKind }) {
  const { id, entry } = useParams({ strict: false }) as { id: string; entry: string }
  const { may } = useViewer()
  if (!may('people.read')) return <NoPermission what="who is in it" ability="people.read" />
  return <OneRun flow={{ kind, id }} entry={entry} />
}

function OneRun({ flow, entry }: { flow: FlowRef; entry: string }) {
  const { workspace } = useViewer()
  const operation = runsOf[flow.kind](flow.id, entry, { workspace: workspace.id })
  const read = useQuery(polling(operation, everyMs))
  useFeed(operation)
  const name = useName(flow)
  const person = read.data?.entry.person
  const title = person ? displayName(person) : 'One run'
  const toFlow = pathOfFlow(flow.kind, workspace.id, flow.id)
  return (
    <>
      <title>{`${title} in ${name} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={pathOfFlows(flow.kind, workspace.id)}>{titles[flow.kind]}</Link> /{' '}
        <Link to={toFlow} dir="auto">
          {name}
        </Link>{' '}
        / <Link to={`${toFlow}?tab=people`}>People</Link>
      </p>
      <h1 dir="auto">{title}</h1>
      <div className={styles.page}>
        {read.data !== undefined ? (
          <RunContent flow={flow} run={read.data} />
        ) : isUnknown(read.error) ? (
          <Empty title="There is no such run">
            It was deleted with its person or by age, or the link is not complete. <Link to={toFlow}>{name}</Link>
          </Empty>
        ) : (
          <NoAnswer read={read} what="the run" />
        )}
      </div>
    </>
  )
}

function isUnknown(error: unknown): boolean {
  return error instanceof CallError && error.status === 404
}

/** The name of a flow, and its id until the name is read. */
function useName({ kind, id }: FlowRef): string {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const canvas = useQuery({ ...reading(getAdminCanvasesId(id, query)), enabled: kind === 'canvas' }).data?.canvas
  const campaign = useQuery({ ...reading(getAdminCampaignsId(id, query)), enabled: kind === 'campaign' }).data?.campaign
  return canvas?.name ?? campaign?.name ?? id
}
