import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { CallError } from '../../api/errors.ts'
import { type GetAdminPeopleIdReply, getAdminPeopleId, getAdminPeopleIdEntries } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { usePageSearch } from '../../frame/search.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { displayName, shortId } from '../../words/people.ts'
import { formatTimeIn } from '../../words/times.ts'
import { PersonActions } from './person-actions.tsx'
import { PersonFlows } from './person-flows.tsx'
import { PersonMessages } from './person-messages.tsx'
import styles from './person-page.module.css'
import { Profile } from './person-profile.tsx'
import { Timeline } from './timeline.tsx'
import { WhyPanel } from './why-panel.tsx'

const tabs = [
  { key: 'timeline', label: 'Timeline' },
  { key: 'profile', label: 'Profile' },
  { key: 'flows', label: 'Flows' },
  { key: 'messages', label: 'Messages' },
  { key: 'json', label: 'JSON' },
] as const satisfies readonly Tab<string>[]
type TabKey = (typeof tabs)[number]['key']
type PersonSearch = { tab?: string; kinds?: string; cursor?: string; panel?: string }

/** One person: what happened, everything that is kept, and what can be done. */
export function PersonPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminPeopleId(id, { workspace: workspace.id })
  const read = useQuery(reading(operation))
  if (read.isPending) return <LoadingRows what="the person" />
  if (read.data) return <PersonContent reply={read.data} />
  if (read.error instanceof CallError && read.error.status === 404) return <UnknownPerson />
  return <Failure error={read.error} onRetry={() => void read.refetch()} />
}

function PersonContent({ reply }: { reply: GetAdminPeopleIdReply }) {
  const { workspace } = useViewer()
  const [search, change] = usePageSearch<PersonSearch>()
  const { person, sentence, merged_from } = reply
  const name = displayName(person)
  const tab = tabs.find(({ key }) => key === search.tab)?.key ?? 'timeline'
  const about =
    search.panel === 'why' ? '' : search.panel?.startsWith('why:') ? search.panel.slice('why:'.length) : undefined
  const ask = (next: string | undefined) =>
    change({ panel: next === undefined ? undefined : next === '' ? 'why' : `why:${next}` })
  return (
    <>
      <title>{`${name} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={paths.people(workspace.id)}>People</Link>
      </p>
      <div className={styles.head}>
        <h1 dir="auto">{name}</h1>
        {person.external_id !== null && (
          <Id label="external id" value={person.external_id} shown={person.external_id} />
        )}
        <Id label="id of Easel" value={person.id} shown={shortId(person.id)} />
        <PersonActions reply={reply} onWhy={() => ask('')} />
      </div>
      <p className={styles.sentence}>
        <span>
          {sentence} <Standing id={person.id} />
        </span>
        <TheirTime zone={reply.record.time_zone} />
      </p>
      {merged_from !== null && (
        <p className={styles.notice} role="note">
          The person {shortId(merged_from)} was merged into this one.
        </p>
      )}
      <Tabs
        label="Parts of the person"
        tabs={tabs}
        selected={tab}
        onSelect={(key) =>
          change({ tab: key === 'timeline' ? undefined : key, kinds: undefined, cursor: undefined }, { replace: true })
        }
      >
        <TabContent tab={tab} reply={reply} onWhy={ask} />
      </Tabs>
      {about !== undefined && <WhyPanel id={person.id} about={about} onAbout={ask} />}
    </>
  )
}

type TabContentProps = { tab: TabKey; reply: GetAdminPeopleIdReply; onWhy: (about: string) => void }

function TabContent({ tab, reply, onWhy }: TabContentProps) {
  const { id } = reply.person
  switch (tab) {
    case 'timeline':
      return <Timeline id={id} onWhy={onWhy} />
    case 'profile':
      return <Profile reply={reply} />
    case 'flows':
      return <PersonFlows id={id} onWhy={onWhy} />
    case 'messages':
      return <PersonMessages id={id} onWhy={onWhy} />
    case 'json':
      return <Json reply={reply} />
  }
}

/** In how many canvases the person stands, and when the last mail was sent. */
function Standing({ id }: { id: string }) {
  const { workspace } = useViewer()
  return useQuery(reading(getAdminPeopleIdEntries(id, { workspace: workspace.id }))).data?.sentence
}

/** The time of day where the person is. */
function TheirTime({ zone }: { zone: string | undefined }) {
  const { now } = useViewer()
  const time = zone === undefined ? undefined : formatTimeIn(zone, now())
  return time === undefined ? null : (
    <span className={styles.zone}>
      Their time: {time} ({zone})
    </span>
  )
}

function Id({ label, value, shown }: { label: string; value: string; shown: string }) {
  return (
    <span className={styles.id} title={`${label}: ${value}`}>
      {shown.length > 60 ? `${shown.slice(0, 60)}...` : shown}
      <CopyButton text={value} label={`Copy the ${label}`} />
    </span>
  )
}

/** The record as an export has it. */
function Json({ reply }: { reply: GetAdminPeopleIdReply }) {
  const { workspace } = useViewer()
  useFeed(getAdminPeopleId(reply.person.id, { workspace: workspace.id }))
  const text = JSON.stringify(reply.record, null, 2)
  return (
    <pre className={styles.json}>
      <span className={styles.copy}>
        <CopyButton text={text} label="Copy the JSON">
          Copy
        </CopyButton>
      </span>
      <code>{text}</code>
    </pre>
  )
}

function UnknownPerson() {
  const { workspace } = useViewer()
  return (
    <Empty
      title="There is no such person"
      actions={
        <Link to={paths.people(workspace.id)} className={buttonClass('main')}>
          Find a person
        </Link>
      }
    >
      The person was deleted, belongs to another workspace, or the link is not complete.
    </Empty>
  )
}
