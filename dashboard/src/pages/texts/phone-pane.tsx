import { sentenceIn } from '../../api/errors.ts'
import { useReason } from '../../frame/permit.ts'
import { PhoneView } from '../../frame/phone-view.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './texts.module.css'
import type { Preview } from './use-preview.ts'

type PhonePaneProps = { preview: Preview; ability: string; text: string; from: string | null }

/** A text as the phone of a person shows it. Who may not ask for a preview sees the text as it is written. */
export function PhonePane({ preview, ability, text, from }: PhonePaneProps) {
  const reason = useReason(ability)
  const { reply, good, error, isBehind, retry } = preview
  const isAsked = reason === undefined && text.trim() !== ''
  const hasLiquid = /\{[{%]/.test(text)
  const rendered = isAsked ? good : undefined
  const shown = hasLiquid && rendered ? (rendered.text ?? text) : text
  return (
    <section className={styles.preview} aria-label="Preview" aria-busy={isBehind}>
      <PhoneView text={shown} from={from ?? rendered?.from ?? null} isRendered={!hasLiquid || rendered !== undefined} />
      {isAsked && error && (
        <div className={styles.problem} role="alert">
          {sentenceIn(error)} <Button onClick={retry}>Try again</Button>
        </div>
      )}
      {isAsked && reply && (
        <p className={styles.outcome} role="status" data-outcome={isBehind ? 'behind' : reply.outcome}>
          {reply.sentence}
          {reply.outcome !== 'rendered' && good && hasLiquid && ' Above is the last good preview.'}
        </p>
      )}
    </section>
  )
}
