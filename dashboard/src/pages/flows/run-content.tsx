import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import {
  getAdminCampaignsIdEntriesEntryId,
  getAdminCampaignsIdVersionsVersion,
  getAdminCanvasesIdEntriesEntryId,
  getAdminCanvasesIdVersionsVersion,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Card, type Fact, Facts, Note } from '../../ui/facts.tsx'
import { displayName } from '../../words/people.ts'
import { type FlowRef, pathOfFlow } from './flow-words.ts'
import styles from './run-page.module.css'
import { type Run, stepsOfRun } from './run-steps.ts'
import { MessageLink, RunTable } from './run-table.tsx'

export const runsOf = {
  canvas: getAdminCanvasesIdEntriesEntryId,
  campaign: getAdminCampaignsIdEntriesEntryId,
} as const
export const versionOf = {
  canvas: getAdminCanvasesIdVersionsVersion,
  campaign: getAdminCampaignsIdVersionsVersion,
} as const

type RunContentProps = { flow: FlowRef; run: Run; isSmall?: boolean }

/** How one person went through a flow: where they are, on which version, and each step with what came of it. */
export function RunContent({ flow, run, isSmall }: RunContentProps) {
  const { entry, messages, has_more_messages } = run
  const does = useDoes(flow, entry.version)
  const { steps, others } = stepsOfRun(run)
  return (
    <>
      <p className={styles.sentence} dir="auto">
        {entry.sentence}
      </p>
      <Leads flow={flow} run={run} />
      <div className={styles.sheet}>
        <RunTable run={run} steps={steps} does={does} isSmall={isSmall} />
        {!entry.trail_is_whole && <Note>Not every arrival at a step is recorded: some are missing here.</Note>}
        {messages === null && (
          <Note>You may not see what became of messages: it takes the permission messages.read.</Note>
        )}
      </div>
      <Card title="About the run">
        <Facts facts={useFacts(flow, run)} />
      </Card>
      {others.length > 0 && (
        <Card title="Other messages">
          <Facts
            facts={others.map((message) => {
              const { message_id, subject, step } = message
              return {
                name: subject || step?.name || step?.id || message_id,
                value: <MessageLink message={message} />,
              }
            })}
          />
        </Card>
      )}
      {has_more_messages && <Note>There are more messages than are shown here.</Note>}
    </>
  )
}

/** Links to the person, and to why they are where they are. */
function Leads({ flow, run: { entry } }: { flow: FlowRef; run: Run }) {
  const { workspace, may } = useViewer()
  const { person } = entry
  if (person === null || !may('people.read')) return null
  return (
    <p className={styles.leads}>
      <Link
        to={paths.person(workspace.id, person.id, { panel: `why:${flow.kind}:${flow.id}` })}
        className={buttonClass()}
      >
        Why?
      </Link>
      <Link to={paths.person(workspace.id, person.id)} className={buttonClass()}>
        Profile of {displayName(person)}
      </Link>
    </p>
  )
}

function useFacts(flow: FlowRef, { entry }: Run): Fact[] {
  const { workspace } = useViewer()
  const { version, variant_name, variant, entered_at, ended_at, waits_for, until, because } = entry
  const counts = `${pathOfFlow(flow.kind, workspace.id, flow.id)}?version=${version}`
  return [
    {
      name: 'Version',
      value: (
        <>
          {version} <Link to={counts}>Show its counts</Link>
        </>
      ),
    },
    ...(variant === null ? [] : [{ name: 'Variant', value: <span dir="auto">{variant_name ?? variant}</span> }]),
    { name: 'Entered', value: <Moment at={entered_at} full /> },
    ...(waits_for === null ? [] : [{ name: 'Waits for', value: waits_for }]),
    ...(until === null ? [] : [{ name: 'Until', value: <Moment at={until} full /> }]),
    ...(ended_at === null ? [] : [{ name: 'Ended', value: <Moment at={ended_at} full /> }]),
    ...(because === null ? [] : [{ name: 'Because', value: because }]),
  ]
}

/** What each step does in the version that the person runs on. */
function useDoes(flow: FlowRef, version: number): ReadonlyMap<string, string> {
  const { workspace } = useViewer()
  const read = useQuery(reading(versionOf[flow.kind](flow.id, String(version), { workspace: workspace.id })))
  const steps = read.data?.outline?.steps ?? []
  return new Map(steps.map(({ id, sentence }) => [id, sentence]))
}
