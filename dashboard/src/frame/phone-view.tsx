import { segmentsOf } from '../api/segments.ts'
import styles from './phone-view.module.css'

type PhoneViewProps = {
  text: string
  from: string | null
  /** False for a text with Liquid as it is written. */
  isRendered?: boolean
}

/** A text message as a phone shows it, with the segments that it takes. */
export function PhoneView({ text, from, isRendered = true }: PhoneViewProps) {
  const { encoding, segments, units, units_left } = segmentsOf(text)
  const count = segments === 1 ? '1 segment' : `${segments} segments`
  return (
    <section aria-label="The text on a phone">
      <div className={styles.phone}>
        <p className={styles.from}>{from ?? 'The sender of the workspace'}</p>
        <p className={styles.bubble} dir="auto">
          {text === '' ? 'No text yet' : text}
        </p>
      </div>
      <p className={styles.count}>
        {`${count} of ${encoding}: ${units} characters, room for ${units_left} more in the last one.`}
        {!isRendered && ' What Liquid adds is not counted.'}
      </p>
    </section>
  )
}
