import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { getAdminHeadsCampaigns, getAdminHeadsCanvases } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { Mark } from '../../ui/mark.tsx'
import { formatCount } from '../../words/numbers.ts'
import { FlowActions } from './flow-actions.tsx'
import styles from './flow-page.module.css'
import { FlowTabs } from './flow-tabs.tsx'
import { type Flow, type FlowKind, familyOf, pathOfFlows, titles } from './flow-words.ts'
import { versionOf } from './run-content.tsx'

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
    sentence: ({ sentence, state }: Flow) => (
      <>
        <span className={styles.state}>
          <Mark family={familyOf[state]}>{state}</Mark>
        </span>{' '}
        {sentence}
      </>
    ),
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
      <div className={styles.wide}>
        <Definition kind={kind} flow={flow} />
      </div>
    </>
  )
}

function Definition({ kind, flow: { id, version } }: { kind: FlowKind; flow: Flow }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(versionOf[kind](id, String(version), { workspace: workspace.id })))
  if (read.data === undefined) return <NoAnswer read={read} what="the definition" />
  return (
    <Card title="As it is written">
      <CodeBlock label="The definition">{JSON.stringify(read.data.definition, null, 2)}</CodeBlock>
    </Card>
  )
}
