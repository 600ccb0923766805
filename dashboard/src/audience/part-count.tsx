import { formatPath, type Path } from '../draft/path.ts'
import { formatCount, formatEstimate } from '../words/numbers.ts'
import { useEditor } from './editor-context.ts'
import styles from './part.module.css'

/** How many people a part selects, taken for itself. */
export function PartCount({ path }: { path: Path }) {
  const { counts, isStale } = useEditor()
  const found = counts.get(formatPath(path))
  if (!found || found.count === null) return <span className={styles.count} />
  const { count, error } = found
  const isEstimate = error !== null && error > 0
  return (
    <output
      className={styles.count}
      data-stale={isStale || undefined}
      title={isEstimate ? `Off by at most ${formatCount(error)}, with a probability of 95%` : 'Counted one by one'}
    >
      {isEstimate ? formatEstimate(count) : formatCount(count)}
    </output>
  )
}
