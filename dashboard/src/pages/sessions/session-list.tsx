import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminSessions,
  deleteAdminSessionsId,
  type GetAdminSessionsReply,
  getAdminSessions,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { Moment } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Note } from '../../ui/facts.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import access from '../access/access.module.css'
import { deviceOf } from './device.ts'

export type Session = GetAdminSessionsReply['sessions'][number]

/** The sessions of one account, each with a button that ends it, and one that ends all. */
export function SessionList({ userName }: { userName: string }) {
  const read = useQuery(reading(getAdminSessions({ user_name: userName })))
  const [isEnding, setIsEnding] = useState(false)
  const reason = useReason('sessions.end')
  if (read.data === undefined) return <NoAnswer read={read} what="sessions" />
  const { sessions } = read.data
  if (sessions.length === 0) return <Note>It is signed in nowhere.</Note>
  return (
    <div className={access.body}>
      <ul className={access.list}>
        {sessions.map((session) => (
          <li key={session.id} className={access.row}>
            <span title={session.user_agent}>{deviceOf(session.user_agent)}</span>
            <span className={access.soft}>{session.ip}</span>
            <span className={access.soft}>
              seen <Moment at={session.seen_at} />
            </span>
            <span className={access.end}>
              <EndSession session={session} />
            </span>
          </li>
        ))}
      </ul>
      <div>
        <Button disabledReason={reason} onClick={() => setIsEnding(true)}>
          Sign it out everywhere
        </Button>
      </div>
      {isEnding && <EndAll userName={userName} onClose={() => setIsEnding(false)} />}
    </div>
  )
}

/** Ends one session. */
export function EndSession({ session }: { session: Session }) {
  const reason = useReason('sessions.end')
  const end = useWrite({
    request: ({ id }: Session) => deleteAdminSessionsId(id),
    said: (_reply, { user_name }) => `A session of ${user_name} has ended.`,
  })
  return (
    <>
      <Button
        disabledReason={end.isPending ? 'The request is on its way.' : reason}
        aria-label={`End the session of ${session.user_name} from ${session.ip}`}
        onClick={() => end.mutate(session)}
      >
        End
      </Button>
      {end.isError && (
        <span role="alert">
          <Refusal error={end.error} />
        </span>
      )}
    </>
  )
}

function EndAll({ userName, onClose }: { userName: string; onClose: () => void }) {
  const end = useWrite({
    request: (user_name: string) => deleteAdminSessions({ user_name }),
    said: ({ ended }) =>
      `${userName} is signed out: ${ended === 1 ? '1 session has' : `${ended} sessions have`} ended.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Sign ${userName} out everywhere?`}
      submit="Sign out"
      danger
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(userName)}
      onClose={onClose}
    >
      <p>All sessions end at once, and links that were mailed stop working. The person may sign in again.</p>
    </FormDialog>
  )
}
