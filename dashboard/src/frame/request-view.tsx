import { CodeBlock } from '../ui/code-block.tsx'
import { Note } from '../ui/facts.tsx'

type Kept = {
  readonly headers: { readonly [name: string]: unknown }
  readonly text: string | null
  readonly details?: Readonly<Record<string, unknown>> | undefined
  readonly rendered_anew?: boolean
}

/** The request of a webhook as its receiver gets it, without its secrets, and the answer. */
export function RequestView({ kept: { headers, text, details, rendered_anew = false } }: { kept: Kept }) {
  const first = `${String(details?.method ?? '')} ${String(details?.url ?? '')}`
  const lines = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)]
  const answer = details?.answer
  return (
    <>
      <CodeBlock label="Request">{lines.join('\n')}</CodeBlock>
      {text === null ? <Note>It has no body.</Note> : <CodeBlock label="Body">{text}</CodeBlock>}
      {typeof answer === 'string' && <CodeBlock label="Answer">{answer}</CodeBlock>}
      {answer === undefined && !rendered_anew && (
        <Note>Nobody was called, so there is no answer: the inbox took the request.</Note>
      )}
    </>
  )
}
