import { CodeBlock } from '../ui/code-block.tsx'
import { Note } from '../ui/facts.tsx'
import styles from './request-view.module.css'

type Kept = {
  readonly headers: { readonly [name: string]: unknown }
  readonly text: string | null
  readonly details?: Readonly<Record<string, unknown>> | null | undefined
  readonly rendered_anew?: boolean
}

/** The request of a webhook as its receiver gets it, without its secrets, and the answer. */
export function RequestView({ kept: { headers, text, details, rendered_anew = false } }: { kept: Kept }) {
  const first = `${String(details?.method ?? '')} ${String(details?.url ?? '')}`
  const lines = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)]
  const answer = details?.answer
  return (
    <>
      <Part label="Request">{lines.join('\n')}</Part>
      {text === null ? <Note>It has no body.</Note> : <Part label="Body">{text}</Part>}
      {typeof answer === 'string' && <Part label="Answer">{answer}</Part>}
      {answer === undefined && !rendered_anew && (
        <Note>Nobody was called, so there is no answer: the inbox took the request.</Note>
      )}
    </>
  )
}

function Part({ label, children }: { label: string; children: string }) {
  return (
    <div className={styles.part}>
      <p className={styles.label} aria-hidden>
        {label}
      </p>
      <CodeBlock label={label}>{children}</CodeBlock>
    </div>
  )
}
