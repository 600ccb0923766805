import type { ReactNode } from 'react'
import type { GetAdminPeopleSearchReply } from '../../api/generated.ts'
import { Mark } from '../../ui/mark.tsx'

type State = GetAdminPeopleSearchReply['people'][number]['email_subscribe']

const words: Readonly<Record<State, string>> = {
  opted_in: 'opted in',
  subscribed: 'subscribed',
  unsubscribed: 'unsubscribed',
}

/** An address, or the state itself, with the mark of whether mail may go there. */
export function EmailState({ state, children }: { state: State; children?: ReactNode }) {
  return (
    <span title={words[state]}>
      <Mark family={state === 'unsubscribed' ? 'held' : 'sent'}>{children ?? words[state]}</Mark>
    </span>
  )
}
