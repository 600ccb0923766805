import type { Family } from './mark.tsx'
import styles from './outcome-bar.module.css'

type Part = { readonly family: Family; readonly words: string; readonly count: number }

/** A bar of what became of something: a piece for each part, in the colour and hatching of its family. The numbers stand beside it. */
export function OutcomeBar({ label, parts }: { label: string; parts: readonly Part[] }) {
  const all = parts.reduce((sum, { count }) => sum + count, 0)
  const said = parts.map(({ words, count }) => `${words}: ${count}`).join('; ')
  return (
    <div className={styles.bar} role="img" aria-label={`${label}. ${said}`}>
      {parts
        .filter(({ count }) => count > 0)
        .map(({ family, words, count }) => (
          <span
            key={words}
            className={`${styles.piece} ${styles[family]}`}
            style={{ flexGrow: count / all }}
            title={`${words}: ${count}`}
          />
        ))}
    </div>
  )
}
