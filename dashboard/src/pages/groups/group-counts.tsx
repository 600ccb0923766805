import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { call } from '../../api/call.ts'
import { sentenceIn } from '../../api/errors.ts'
import {
  type GetAdminSubscriptionGroupsIdCountsReply,
  getAdminSubscriptionGroupsIdCounts,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { openTurns } from '../../api/turns.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { useSeen } from '../../ui/in-view.ts'
import { formatCount, formatEstimate } from '../../words/numbers.ts'
import styles from './groups.module.css'

/** Each count reads many people, so few run at a time. */
const countsMax = 2
const freshMs = 300_000

const inTurn = openTurns(countsMax)

/** The query of the counts of a group. The list and the page of the group share its answer. */
export function groupCounts(workspace: string, id: string) {
  const operation = getAdminSubscriptionGroupsIdCounts(id, { workspace })
  return {
    ...reading(operation),
    queryFn: ({ signal }: { signal: AbortSignal }) => inTurn(() => call(operation, signal), signal),
    staleTime: freshMs,
  }
}

type State = 'subscribed' | 'unsubscribed'

/** How many people have a state in a group; it is asked for when the row is seen. */
export function CountCell({ id, state }: { id: string; state: State }) {
  const { workspace } = useViewer()
  const ref = useRef<HTMLSpanElement>(null)
  const isSeen = useSeen(ref)
  const read = useQuery({ ...groupCounts(workspace.id, id), enabled: isSeen })
  const title = read.isError ? sentenceIn(read.error) : undefined
  return (
    <span ref={ref} title={title} aria-busy={read.isFetching}>
      {read.data ? countOf(read.data, state) : read.isError ? 'not counted' : '...'}
      <span className={styles.word}> {state}</span>
    </span>
  )
}

export function countOf({ is_exact, ...counts }: GetAdminSubscriptionGroupsIdCountsReply, state: State): string {
  const { count } = counts[state]
  return is_exact ? formatCount(count) : formatEstimate(count)
}
