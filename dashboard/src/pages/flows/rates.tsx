import type { StepStanding } from '../../canvas/words.ts'
import { formatCount, formatShare } from '../../words/numbers.ts'
import styles from './flow-steps.module.css'

type Rates = NonNullable<StepStanding['rates']>

/** What followed the messages of a step, as far as it is known of their channel. */
export function RateFacts({ rates: { counts, unknown } }: { rates: Rates }) {
  return (
    <div>
      <dl>
        {counts.map(({ measure, words, count, of }) => (
          <div key={measure} className={styles.rate}>
            <dt>{words}</dt>
            <dd>{of === null || of === 0 ? formatCount(count) : `${formatCount(count)}, ${formatShare(count, of)}`}</dd>
          </div>
        ))}
      </dl>
      {unknown !== null && <p className={styles.soft}>{unknown}</p>}
    </div>
  )
}
