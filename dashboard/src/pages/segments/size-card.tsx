import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type PostAdminAudienceCountReply, postAdminAudienceCount } from '../../api/generated.ts'
import { asking } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { Button } from '../../ui/button.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { formatCounted } from '../../words/numbers.ts'
import type { AudienceAnswers } from './audience-answers.ts'
import styles from './segment-editor.module.css'

/** How many people the conditions select: an estimate in a large workspace, and the exact number when it is asked for. */
export function SizeCard({ answers }: { answers: AudienceAnswers }) {
  const { workspace } = useViewer()
  const { count, asked, isStale, isValid, reason } = answers
  const [wanted, setWanted] = useState<object>()
  const isWanted = wanted === asked && isValid
  const exact = useQuery({
    ...asking(postAdminAudienceCount({ audience: asked, exact: true }, { workspace: workspace.id })),
    enabled: isWanted,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const again = () => void (isWanted ? exact.refetch() : count.refetch())
  const shown = isWanted && exact.data ? exact.data : count.data
  const isCounting = isWanted && exact.isFetching
  const failure = isWanted ? exact : count
  return (
    <Card title="How many people">
      {shown === undefined && !failure.isError && <Note>{reason ?? 'Counting ...'}</Note>}
      {shown !== undefined && <Counted reply={shown} isStale={isStale || isCounting} />}
      {failure.isError && <Failure error={failure.error} onRetry={() => void failure.refetch()} />}
      <div className={styles.buttons}>
        {shown !== undefined && (
          <Button disabledReason={reason} onClick={again}>
            Count again
          </Button>
        )}
        {shown !== undefined && !shown.is_exact && (
          <Button disabledReason={isCounting ? 'Everybody is counted now.' : reason} onClick={() => setWanted(asked)}>
            {isCounting ? 'Counting everybody ...' : 'Count exactly'}
          </Button>
        )}
      </div>
    </Card>
  )
}

function Counted({
  reply: { count, error, is_exact, at },
  isStale,
}: {
  reply: PostAdminAudienceCountReply
  isStale: boolean
}) {
  return (
    <p className={styles.size} data-stale={isStale || undefined} aria-live="polite">
      <strong className={styles.figure}>{formatCounted({ count, error })}</strong>{' '}
      <span>
        {is_exact ? 'counted one by one' : 'estimated'} at <Moment at={at} full />
      </span>
    </p>
  )
}
