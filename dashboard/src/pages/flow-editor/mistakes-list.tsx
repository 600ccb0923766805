import { CircleCheck, TriangleAlert } from 'lucide-react'
import type { Mistake } from '../../draft/mistakes.ts'
import { formatPath } from '../../draft/path.ts'
import { Button } from '../../ui/button.tsx'
import styles from './flow-editor.module.css'
import type { Check } from './use-check.ts'

type MistakesListProps = {
  check: Check
  /** Where a mistake is, in the words of the reader, such as the name of a step. */
  placeOf: (mistake: Mistake) => string
  /** Leads to the field of a mistake. */
  onOpen: (mistake: Mistake) => void
  onClose: () => void
}

/** All mistakes of a definition, each with a button that leads to its field. */
export function MistakesList({ check, placeOf, onOpen, onClose }: MistakesListProps) {
  const { mistakes } = check
  return (
    <section className={styles.mistakes} aria-label="Mistakes" data-none={mistakes.length === 0 || undefined}>
      <div className={styles.line}>
        <h2 className={styles.grow}>{mistakes.length === 0 ? 'No mistakes' : countWords(mistakes.length)}</h2>
        <Button onClick={onClose}>Hide</Button>
      </div>
      {mistakes.length === 0 ? (
        <p className={styles.good}>
          <CircleCheck size={16} aria-hidden /> The server accepts this definition.
        </p>
      ) : (
        <ol>
          {mistakes.map((mistake, i) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a path can have several mistakes.
            <li key={`${formatPath(mistake.path)} ${i}`}>
              <button type="button" className={styles.mistake} onClick={() => onOpen(mistake)}>
                <TriangleAlert size={16} aria-hidden />
                <span>
                  <strong dir="auto">{placeOf(mistake)}</strong> <code>{formatPath(mistake.path)}</code>{' '}
                  <span dir="auto">{mistake.message}</span>
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  )
}

export function countWords(count: number): string {
  return count === 1 ? '1 mistake' : `${count} mistakes`
}
