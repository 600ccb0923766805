import { Link } from '@tanstack/react-router'
import { postAdminDemo } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { Card } from '../../ui/facts.tsx'
import styles from './welcome-page.module.css'

/** The id that the server gives the workspace of the demo. */
const demoId = 'demo'

/** Makes the workspace of the demo, or leads to it when it is there. */
export function Demo() {
  const { session } = useViewer()
  const reason = useReason('workspaces.create')
  const load = useWrite({ request: () => postAdminDemo(), said: ({ sentence }) => sentence })
  const isThere = session.workspaces.some(({ id }) => id === demoId)
  return (
    <Card title="A demo to look at">
      <div className={styles.step}>
        {isThere ? (
          <>
            <p>There is a workspace with a thousand invented people and their history.</p>
            <div>
              <Link to={paths.workspace(demoId)} className={buttonClass('main')}>
                Go to the demo
              </Link>
            </div>
          </>
        ) : (
          <>
            <p>
              A workspace of its own with a thousand invented people of a shop, and what happened in 90 days. Its mail
              is kept in the inbox and goes to nobody.
            </p>
            {load.isError && <Refusal error={load.error} />}
            {load.isSuccess && (
              <p>The demo is made. You may not see it: an administrator can give you permissions in it.</p>
            )}
            <div>
              <Button
                disabledReason={load.isPending ? 'The demo is being made. It takes a few seconds.' : reason}
                onClick={() => load.mutate(undefined)}
              >
                {load.isPending ? 'Making the demo ...' : 'Load the demo'}
              </Button>
            </div>
          </>
        )}
      </div>
    </Card>
  )
}
