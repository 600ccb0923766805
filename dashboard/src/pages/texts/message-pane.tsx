import type { ReactNode } from 'react'
import { sentenceIn } from '../../api/errors.ts'
import type { PostAdminPreviewReply } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Button } from '../../ui/button.tsx'
import { formatCount } from '../../words/numbers.ts'
import styles from './texts.module.css'
import type { Preview } from './use-preview.ts'

type MessagePaneProps = {
  preview: Preview
  ability: string
  /** Nothing is asked of the server yet. */
  isEmpty: boolean
  /** Whether the message differs from person to person. */
  hasLiquid: boolean
  /** The texts whose fields show their mistakes themselves. */
  fields: readonly string[]
  /** Draws the message: as it was rendered last, or as it is written. */
  children: (rendered: PostAdminPreviewReply | undefined) => ReactNode
}

/** A message as a person gets it. Accounts that may not ask for previews see it as it is written. */
export function MessagePane({ preview, ability, isEmpty, hasLiquid, fields, children }: MessagePaneProps) {
  const reason = useReason(ability)
  const { reply, good, error, isBehind, retry } = preview
  const isAsked = reason === undefined && !isEmpty
  const others = (reply?.mistakes ?? []).filter(({ text }) => text === null || !fields.includes(text))
  const notes = isAsked && reply ? [...others.map(mistakeSentence), ...reply.warnings] : []
  return (
    <section className={styles.preview} aria-label="Preview" aria-busy={isBehind}>
      {children(isAsked ? good : undefined)}
      {isAsked && error && (
        <div className={styles.problem} role="alert">
          {sentenceIn(error)} <Button onClick={retry}>Try again</Button>
        </div>
      )}
      {isAsked && reply && (
        <p className={styles.outcome} role="status" data-outcome={isBehind ? 'behind' : reply.outcome}>
          {reply.sentence}
          {reply.outcome !== 'rendered' && good && hasLiquid && ' Above is the last good preview.'}
          {reply.bytes !== null &&
            reply.bytes_max !== null &&
            ` ${formatCount(reply.bytes)} of ${formatCount(reply.bytes_max)} bytes.`}
        </p>
      )}
      {notes.length > 0 && (
        <ul className={styles.warnings} aria-label="Warnings">
          {notes.map((note) => (
            <li key={note} dir="auto">
              {note}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Says where a mistake is that no field shows. */
function mistakeSentence({ text, line, column, message }: PostAdminPreviewReply['mistakes'][number]): string {
  if (line === null || column === null) return message
  return `${text ?? 'The message'}, line ${line}, column ${column}: ${message}`
}

/** Whether a message, or a text of it, has Liquid. Pure. */
export function hasLiquidIn(message: unknown): boolean {
  return /\{[{%]/.test(JSON.stringify(message) ?? '')
}
