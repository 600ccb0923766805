import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { signIn } from '../../api/call.ts'
import { deleteAdminSessions, getAdminSessions, getAdminSessionsLimits } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useFeed } from '../../frame/feed.ts'
import { Filters, TextFilter } from '../../frame/filters.tsx'
import { ListPage } from '../../frame/list-page.tsx'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { usePageSearch } from '../../frame/search.ts'
import { Moment } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { deviceOf } from './device.ts'
import { EndSession, type Session } from './session-list.tsx'

const shownMax = getAdminSessionsLimits.limit.maximum

/** Who is signed in, and where. */
export function SessionsPage() {
  const [{ user_name }, change] = usePageSearch<{ user_name?: string }>()
  const operation = getAdminSessions({ user_name, limit: shownMax })
  const sessions = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const [isEnding, setIsEnding] = useState(false)
  const showAll = () => change({ user_name: undefined } as object)
  const reason = useReason('sessions.end')
  return (
    <>
      <ListPage
        title="Sessions"
        what="sessions"
        query={sessions}
        head={
          <Button look="danger" disabledReason={reason} onClick={() => setIsEnding(true)}>
            End all sessions
          </Button>
        }
        filters={
          <Filters isFiltered={user_name !== undefined} onDrop={showAll}>
            <TextFilter
              label="Address"
              value={user_name}
              maxLength={254}
              onChange={(next) => change({ user_name: next } as object)}
            />
          </Filters>
        }
        sentence={`Who is signed in, last seen first, to a minute. Times are of the machine. The list has at most ${shownMax}.`}
        isEmpty={(reply) => reply.sessions.length === 0}
        empty={
          <Empty title="No session is open" actions={<Button onClick={showAll}>Show all</Button>}>
            The address is compared as a whole.
          </Empty>
        }
      >
        {(reply) => (
          <Table
            caption="Sessions"
            columns={columns}
            rows={reply.sessions}
            keyOf={({ id }) => id}
            dimmed={sessions.isPlaceholderData}
          />
        )}
      </ListPage>
      {isEnding && <EndEverybody onClose={() => setIsEnding(false)} />}
    </>
  )
}

const columns: readonly Column<Session>[] = [
  {
    head: 'Account',
    width: '28%',
    cell: ({ account_id, user_name }) => <Link to={paths.account(account_id)}>{user_name}</Link>,
  },
  { head: 'Browser', width: '20%', cell: ({ user_agent }) => <span title={user_agent}>{deviceOf(user_agent)}</span> },
  { head: 'From', width: '16%', cell: ({ ip }) => ip },
  {
    head: 'Signed in',
    width: '12%',
    align: 'end',
    wideOnly: true,
    cell: ({ created_at }) => <Moment at={created_at} />,
  },
  { head: 'Seen', width: '12%', align: 'end', cell: ({ seen_at }) => <Moment at={seen_at} /> },
  { head: 'Do', width: '12%', align: 'end', cell: (session) => <EndSession session={session} /> },
]

function EndEverybody({ onClose }: { onClose: () => void }) {
  const end = useWrite({
    request: () => deleteAdminSessions({ all: 'true' }),
    // The viewer is signed out as well.
    onDone: () => void signIn(),
  })
  return (
    <FormDialog
      title="End the sessions of everybody?"
      submit="End all sessions"
      danger
      typed="all sessions"
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Everybody is signed out at once, you too, and links that were mailed stop working. Everybody may sign in again.
        API keys and SCIM tokens are not changed.
      </p>
    </FormDialog>
  )
}
