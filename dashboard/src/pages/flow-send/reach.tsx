import type { UseQueryResult } from '@tanstack/react-query'
import type { PostAdminCampaignsIdDryRunReply } from '../../api/generated.ts'
import { Failure } from '../../frame/failure.tsx'
import { Moment } from '../../frame/viewer.tsx'
import { type Family, Mark } from '../../ui/mark.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './reach.module.css'

type Reply = PostAdminCampaignsIdDryRunReply
type ReachProps = { read: UseQueryResult<Reply>; mayCount: boolean; isAsked: boolean }

/** How many people a send would reach now, and why it would not reach the others. */
export function Reach({ read, mayCount, isAsked }: ReachProps) {
  if (!mayCount) {
    return (
      <p className={styles.soft}>
        How many people it reaches is not shown: it takes the permission people.read. An administrator of your company
        can give it to you.
      </p>
    )
  }
  if (!isAsked) return null
  if (read.isFetching) return <LoadingRows what="who would get it" />
  if (read.data === undefined) return <Failure error={read.error} onRetry={() => void read.refetch()} />
  return <Counted reply={read.data} />
}

const families: Readonly<Record<string, Family>> = {
  would_enter: 'sent',
  control_group: 'control',
  global_control_group: 'control',
  no_address: 'failed',
  no_such_user: 'failed',
}

function Counted({ reply: { counts, sample, notice, complete, as_of } }: { reply: Reply }) {
  const others = Object.entries(counts).filter(([outcome, count]) => outcome !== 'would_enter' && count > 0)
  const enters = counts.would_enter ?? 0
  return (
    <section className={styles.reach} aria-label="Who would get it" aria-live="polite">
      <p>
        <strong>{formatCount(enters)}</strong> {enters === 1 ? 'person gets it' : 'people get it'}
        {others.length > 0 && ', and not:'}
      </p>
      {others.length > 0 && (
        <ul>
          {others.map(([outcome, count]) => (
            <li key={outcome}>
              <Mark family={families[outcome] ?? 'held'}>{formatCount(count)}</Mark>{' '}
              <span>
                {outcome.replaceAll('_', ' ')}: {sample.find((each) => each.outcome === outcome)?.because}
              </span>
            </li>
          ))}
        </ul>
      )}
      {notice && <p>{notice}</p>}
      {!complete && <p>It took too long to look at everybody, so there may be more.</p>}
      <p className={styles.soft}>
        As of <Moment at={as_of} full />. It is decided again when it is sent.
      </p>
    </section>
  )
}
