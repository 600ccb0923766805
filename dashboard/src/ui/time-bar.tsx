import type { Family } from './mark.tsx'
import styles from './time-bar.module.css'

/** How a bar is filled: in the one ink of everything that is no outcome, or as its family. */
export type Fill = 'plain' | Family

type Place = { readonly left: number; readonly words: string }

/** Where moments are in a column of bars, in percent of its width. */
export type TimeScale = {
  at(ms: number): number
  /** Times in which nothing happens, drawn short. */
  readonly cuts: readonly (Place & { readonly width: number })[]
  readonly labels: readonly Place[]
  readonly now: number | undefined
}

/** Narrower cuts have no words. */
const wordsFrom = 20

/** The head of a column of bars: the moments at its ends and where there is room, and how long the cut times are. */
export function TimeHead({ scale: { cuts, labels } }: { scale: TimeScale }) {
  return (
    <>
      <span className={styles.hidden}>When</span>
      <div className={styles.head} aria-hidden>
        {labels.map(({ left, words }) => (
          <span key={left} className={styles.label} style={{ left: `${left}%`, translate: `-${left}% 0` }}>
            {words}
          </span>
        ))}
        {cuts.map(({ left, width, words }) => (
          <span key={left} className={styles.cutWords} style={{ left: `${left + width / 2}%` }} title={words}>
            {width >= wordsFrom ? words : '..'}
          </span>
        ))}
      </div>
    </>
  )
}

type TimeBarProps = {
  scale: TimeScale
  fromMs: number
  untilMs: number
  fill: Fill
  /** Draws an arrow at its end: it goes on. */
  isOpen: boolean
}

/** A bar in a column of bars. What it says stands beside it in words. */
export function TimeBar({ scale, fromMs, untilMs, fill, isOpen }: TimeBarProps) {
  const left = scale.at(fromMs)
  return (
    <div className={styles.lane} aria-hidden>
      {scale.cuts.map((cut) => (
        <span key={cut.left} className={styles.cut} style={{ left: `${cut.left}%`, width: `${cut.width}%` }} />
      ))}
      {scale.now !== undefined && <span className={styles.now} style={{ left: `${scale.now}%` }} />}
      <span
        className={`${styles.bar} ${styles[fill]} ${isOpen ? styles.open : ''}`}
        style={{ left: `min(${left}%, 100% - 4px)`, width: `${Math.max(scale.at(untilMs) - left, 0)}%` }}
      />
    </div>
  )
}
