import { formatPath, type Path, withValue } from '../../draft/path.ts'
import { Button } from '../../ui/button.tsx'
import { formatPercent } from '../../words/numbers.ts'
import styles from './flow-forms.module.css'
import { useField, useFlowForm } from './form-context.ts'
import { isMembers, listAt } from './members.ts'
import { equalShares, sumOf } from './shares.ts'

/** The sum of the percents of a list, which must be 100, and a button that shares equally. */
export function ShareTools({ list }: { list: Path }) {
  const { edits } = useFlowForm()
  const entries = listAt(edits.document, list)
  const { problemBeside } = useField(list)
  const beside = problemBeside(entries.map((_, i) => [...list, i]))
  const percents = entries.map((entry) => (isMembers(entry) ? entry.percent : undefined))
  // The only entry of a list may leave its percent out.
  const sum = percents.length === 1 && percents[0] === undefined ? 100 : sumOf(percents)
  const share = () => {
    edits.change((document) => {
      const now = listAt(document, list)
      const shares = equalShares(now.length)
      return withValue(
        document,
        list,
        now.map((entry, i) => (isMembers(entry) ? { ...entry, percent: shares[i] } : entry)),
      )
    })
  }
  return (
    <div className={styles.head} data-path={formatPath(list)}>
      <span className={styles.sum} data-wrong={sum !== 100 || undefined} role="status">
        Together {formatPercent(sum)}
        {sum === 100 ? '' : `. It must be ${formatPercent(100)}`}
      </span>
      <Button disabledReason={entries.length < 2 ? 'There is nothing to share.' : undefined} onClick={share}>
        Share equally
      </Button>
      {beside !== undefined && (
        <span className={styles.problem} role="alert">
          {beside}
        </span>
      )}
    </div>
  )
}
