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
    <section className={styles.view} aria-label="The text on a phone">
      <div className={styles.phone}>
        <p className={styles.from}>{from ?? 'The sender of the workspace'}</p>
        <p className={styles.bubble} dir="auto">
          {text === '' ? 'No text yet' : text}
        </p>
      </div>
      <p className={styles.count}>
        {`${count}: ${units} characters, room for ${units_left} more${segments === 1 ? '' : ' in the last one'}.`}
        {encoding === 'UCS-2' && ' It has a character that leaves room for 70 in a segment instead of 160.'}
        {!isRendered && ' What Liquid adds is not counted.'}
      </p>
    </section>
  )
}
