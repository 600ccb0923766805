import type { ReactNode } from 'react'
import styles from './states.module.css'

const rowNames = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight']

/** Grey rows of the height of the real ones. They appear after 100 ms, so that a fast answer does not flicker. */
export function LoadingRows({ what }: { what: string }) {
  return (
    <div role="status" aria-label={`Loading ${what}`}>
      {rowNames.map((name) => (
        <div key={name} className={styles.row} />
      ))}
    </div>
  )
}

type StateProps = { title: string; children?: ReactNode; actions?: ReactNode }

/** What is shown instead of an empty list: what would be here, and what fills it. */
export function Empty({ title, children, actions }: StateProps) {
  return (
    <div className={styles.state}>
      <h2>{title}</h2>
      <div className={styles.text}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}

/** What is shown where something failed. */
/** `isPage`: nothing else is on the page, so the title is that of the page. */
export function Problem({ title, children, actions, isPage }: StateProps & { isPage?: boolean }) {
  const Title = isPage ? 'h1' : 'h2'
  return (
    <div className={`${styles.state} ${styles.problem}`} role="alert">
      <Title>{title}</Title>
      <div className={styles.text}>{children}</div>
      {actions && <div className={styles.actions}>{actions}</div>}
    </div>
  )
}

export function Code({ children }: { children: string }) {
  return (
    <pre className={styles.code}>
      <code>{children}</code>
    </pre>
  )
}
