import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { root } from '../../api/call.ts'
import { getAdminAbout } from '../../api/generated.ts'
import { clockQuery, newestPerson, polling, reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { buttonClass } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { Code } from '../../ui/states.tsx'
import { formatFullMoment } from '../../words/times.ts'
import { Demo } from './demo.tsx'
import styles from './welcome-page.module.css'

/** How often the page looks whether a person has arrived. */
const lookEveryMs = 2_000

/** Where a new workspace begins: what runs here, the first calls, and a demo to look at. */
export function WelcomePage() {
  const { workspace } = useViewer()
  const operation = getAdminAbout()
  const about = useQuery(reading(operation)).data
  const clock = useQuery(clockQuery).data
  useFeed(operation)
  return (
    <>
      <title>Welcome - Easel</title>
      <h1>Welcome to Easel</h1>
      <p className={styles.intro}>
        Your systems send what people do, and Easel keeps it, decides who gets which message when, sends it, and can say
        why. Begin with three calls, or look at a workspace that is full.
      </p>
      <Arrived />
      <div className={styles.columns}>
        <div className={styles.column}>
          <Card title="Three calls to begin with">
            {callsFor(`${location.origin}${root}`, workspace.id).map(({ title, text }) => (
              <div key={title} className={styles.step}>
                <div className={styles.head}>
                  <span>{title}</span>
                  <CopyButton text={text} label={`Copy the call: ${title}`}>
                    Copy
                  </CopyButton>
                </div>
                <Code>{text}</Code>
              </div>
            ))}
          </Card>
        </div>
        <div className={styles.column}>
          <Card title="A key">
            <div className={styles.step}>
              <p>
                The calls need an API key of this workspace: put it into the variable <code>KEY</code> of your shell. A
                key is shown once, when it is made.
              </p>
              <div>
                <Link to={paths.keys(workspace.id)} className={buttonClass()}>
                  Go to the keys
                </Link>
              </div>
            </div>
          </Card>
          <Demo />
          <Card title="What runs here">
            <Facts
              facts={[
                { name: 'Version', value: about?.version ?? '' },
                { name: 'Database', value: about?.database ?? '' },
                { name: 'Clock', value: clock ? <ClockReading {...clock} /> : '' },
              ]}
            />
          </Card>
        </div>
      </div>
    </>
  )
}

function ClockReading({ clock, now }: { clock: 'system' | 'virtual'; now: string }) {
  const { zone } = useViewer()
  return clock === 'virtual' ? `virtual, standing at ${formatFullMoment(now, zone)}` : 'the clock of this machine'
}

/** Says that the first person is there, and leads on. */
function Arrived() {
  const { workspace, may } = useViewer()
  const newest = useQuery({ ...polling(newestPerson(workspace.id), lookEveryMs), enabled: may('people.read') }).data
  const [first] = newest?.people ?? []
  const name = first && ([first.first_name, first.last_name].filter(Boolean).join(' ') || first.external_id)
  return (
    <div role="status">
      {first && (
        <div className={styles.arrived}>
          <span>
            Your calls arrive: <strong dir="auto">{name ?? 'a person without a name'}</strong> is here.
          </span>
          <Link to={paths.person(workspace.id, first.id)} className={buttonClass('main')}>
            Look at the person
          </Link>
          {may('requests.read') && (
            <Link to={paths.apiLog(workspace.id)} className={buttonClass()}>
              See the call in the API log
            </Link>
          )}
        </div>
      )}
    </div>
  )
}

function callsFor(url: string, workspace: string): readonly { readonly title: string; readonly text: string }[] {
  const curl = (path: string, body: string) =>
    `curl ${url}${path} \\\n  -H "Authorization: Bearer $KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '${body}'`
  const id = workspace === 'default' ? 'ada' : 'ada-1'
  return [
    {
      title: '1. Make a person',
      text: curl(
        'users/track',
        `{"attributes": [{"external_id": "${id}", "first_name": "Ada", "email": "ada@example.com"}]}`,
      ),
    },
    {
      title: '2. Record what she did',
      text: curl(
        'users/track',
        `{"events": [{"external_id": "${id}", "name": "project_created", "time": "${new Date().toISOString()}"}]}`,
      ),
    },
    {
      title: '3. Read what is known of her',
      text: curl('users/export/ids', `{"external_ids": ["${id}"], "fields_to_export": ["email", "custom_events"]}`),
    },
  ]
}
