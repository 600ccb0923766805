import styles from './interval-bar.module.css'

type IntervalBarProps = { rate: number; low: number; high: number; top: number }

/** A rate with the interval in which it lies, on a scale from 0 to `top`. The numbers stand beside it. */
export function IntervalBar({ rate, low, high, top }: IntervalBarProps) {
  const at = (share: number) => `${(share / top) * 100}%`
  return (
    <div className={styles.scale} aria-hidden>
      <span className={styles.interval} style={{ left: at(low), width: at(high - low) }} />
      <span className={styles.rate} style={{ left: at(rate) }} />
    </div>
  )
}
