import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CallError } from '../../api/errors.ts'
import { type GetAdminPeopleIdReply, getAdminPeopleId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import { type Tab, Tabs } from '../../ui/tabs.tsx'
import { displayName, shortId } from '../../words/people.ts'
import styles from './person-page.module.css'
import { Profile } from './person-profile.tsx'

type TabKey = 'profile' | 'json'

const tabs: readonly Tab<TabKey>[] = [
  { key: 'profile', label: 'Profile' },
  { key: 'json', label: 'JSON' },
]

/** One person: what can be sent, and everything that is kept. */
export function PersonPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminPeopleId(id, { workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  if (read.isPending) return <LoadingRows what="the person" />
  if (read.data) return <PersonContent reply={read.data} />
  if (read.error instanceof CallError && read.error.status === 404) return <UnknownPerson />
  return <Failure error={read.error} onRetry={() => void read.refetch()} />
}

function PersonContent({ reply }: { reply: GetAdminPeopleIdReply }) {
  const { workspace } = useViewer()
  const { tab = 'profile' } = useSearch({ strict: false }) as { tab?: TabKey }
  const navigate = useNavigate()
  const { person, sentence, merged_from } = reply
  const name = displayName(person)
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
      </div>
      <p className={styles.sentence}>{sentence}</p>
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
          void navigate({ to: '.', search: key === 'profile' ? {} : { tab: key }, replace: true } as never)
        }
      >
        {tab === 'json' ? <Json value={reply.record} /> : <Profile reply={reply} />}
      </Tabs>
    </>
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
function Json({ value }: { value: unknown }) {
  const text = JSON.stringify(value, null, 2)
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
