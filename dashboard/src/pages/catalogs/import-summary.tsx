import { Button } from '../../ui/button.tsx'
import { keyed } from '../../ui/keyed.ts'
import { formatCount } from '../../words/numbers.ts'
import styles from './catalog-page.module.css'
import type { Answer, Summary } from './run-import.ts'

/** Lines that are shown. A file with more is mended in several rounds. */
const shownMax = 200

const separators: Readonly<Record<Answer['separator'], string>> = { ',': 'commas', ';': 'semicolons', '\t': 'tabs' }

type ImportSummaryProps = {
  summary: Summary
  separator: Answer['separator']
  isDone: boolean
  onImport: () => void
}

/** What an import would do or has done: how many items, and which lines are refused and why. */
export function ImportSummary({ summary, separator, isDone, onImport }: ImportSummaryProps) {
  const { made, replaced, refused, kept_fields } = summary
  const lines = keyed(refused.slice(0, shownMax), ({ line }) => String(line))
  const count = made + replaced
  return (
    <section className={styles.summary} aria-label={isDone ? 'What was imported' : 'The plan'}>
      <p role="status">
        {isDone ? 'Imported' : 'The plan'}: {formatCount(made)} made, {formatCount(replaced)} replaced,{' '}
        {formatCount(refused.length)} refused.
      </p>
      {!isDone && <p>The columns of the file are separated by {separators[separator]}.</p>}
      {replaced > 0 && kept_fields.length > 0 && (
        <p>The file has no column for {kept_fields.join(', ')}. Items that exist keep these values.</p>
      )}
      {refused.length > 0 && (
        <>
          <h3>{isDone ? 'These lines were not imported' : 'These lines cannot be imported'}</h3>
          <ul className={styles.lines}>
            {lines.map(({ entry: { line, message }, key }) => (
              <li key={key} dir="auto">
                Line {formatCount(line)}: {message}
              </li>
            ))}
          </ul>
          {refused.length > shownMax && <p>{formatCount(refused.length - shownMax)} more lines are refused.</p>}
          {!isDone && <p>Mend them and choose the file again, or import the other lines now.</p>}
        </>
      )}
      {!isDone && (
        <Button
          look="main"
          disabledReason={count === 0 ? 'No line of the file can be imported.' : undefined}
          onClick={onImport}
        >
          {`Import ${formatCount(count)} ${count === 1 ? 'item' : 'items'}`}
        </Button>
      )}
    </section>
  )
}
