import { Failure } from '../../frame/failure.tsx'
import type { AudienceAnswers } from './audience-answers.ts'
import styles from './segment-editor.module.css'

/** What the conditions say, in the words of the server. Conditions with a mistake have no words; the last ones stay, dimmed. */
export function WordsLine({ answers: { check, count, isStale, isValid } }: { answers: AudienceAnswers }) {
  if (check.isError) return <Failure error={check.error} onRetry={() => void check.refetch()} />
  const words = check.data?.words ?? count.data?.words
  return (
    <p className={styles.words} dir="auto" data-stale={(isStale && !isValid) || undefined}>
      {words === undefined ? ' ' : `People are in this segment when: ${words}.`}
    </p>
  )
}
