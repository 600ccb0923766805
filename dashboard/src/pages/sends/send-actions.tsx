import { useState } from 'react'
import {
  type GetAdminDispatchesDispatchIdReply,
  postAdminDispatchesDispatchIdCancel,
  postAdminDispatchesDispatchIdPause,
  postAdminDispatchesDispatchIdResume,
  postAdminDispatchesDispatchIdSendMissed,
} from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './sends.module.css'

type Send = GetAdminDispatchesDispatchIdReply['dispatch']
type Action = Send['actions'][number]

/** A send to more people than this is cancelled only after its name was typed. */
const typedAbove = 1_000

const operations = {
  pause: postAdminDispatchesDispatchIdPause,
  resume: postAdminDispatchesDispatchIdResume,
  cancel: postAdminDispatchesDispatchIdCancel,
  'send-missed': postAdminDispatchesDispatchIdSendMissed,
} as const

const words: Readonly<Record<Action, { button: string; said: string }>> = {
  pause: { button: 'Pause', said: 'The send is paused. Nothing more goes out until it is resumed.' },
  resume: { button: 'Resume', said: 'The send goes on.' },
  cancel: { button: 'Cancel', said: 'The send is cancelled.' },
  'send-missed': { button: 'Send to those missed', said: 'The missed recipients are being sent to.' },
}

/** What can be done with a send now, as the server says. */
export function SendActions({ send, found }: { send: Send; found: number }) {
  const { workspace } = useViewer()
  const [asking, setAsking] = useState<'cancel' | 'send-missed'>()
  const reason = useReason('dispatches.act')
  const act = useWrite({
    request: (action: Action) => operations[action](send.dispatch_id, { workspace: workspace.id }),
    said: (_reply, action) => words[action].said,
    onDone: () => setAsking(undefined),
  })
  const press = (action: Action) => {
    act.reset()
    if (action === 'cancel' || action === 'send-missed') setAsking(action)
    else act.mutate(action)
  }
  return (
    <div className={styles.actions}>
      {send.actions.map((action) => (
        <Button
          key={action}
          disabledReason={reason ?? (act.isPending ? 'The request is on its way.' : undefined)}
          onClick={() => press(action)}
        >
          {words[action].button}
        </Button>
      ))}
      {asking && (
        <FormDialog
          title={asking === 'cancel' ? `Cancel "${nameOf(send)}"?` : `Send "${nameOf(send)}" to those who were missed?`}
          submit={asking === 'cancel' ? 'Cancel the send' : 'Send now'}
          danger={asking === 'cancel'}
          {...(asking === 'cancel' && found > typedAbove && { typed: nameOf(send) })}
          isPending={act.isPending}
          refusal={act.isError && <Refusal error={act.error} />}
          onSubmit={() => act.mutate(asking)}
          onClose={() => setAsking(undefined)}
        >
          {asking === 'cancel' ? (
            <p>
              {formatCount(send.to_go)} of {formatCount(found)} have not ended yet, and get nothing. This cannot be
              undone. What was sent stays sent.
            </p>
          ) : (
            <p>They get it now, whatever the time is where they are, unless another rule holds it back.</p>
          )}
        </FormDialog>
      )}
      {!asking && act.isError && (
        <div className={styles.refusal} role="alert">
          <Refusal error={act.error} />
        </div>
      )}
    </div>
  )
}

function nameOf({ subject, what }: Send): string {
  return (subject ?? what).trim()
}
