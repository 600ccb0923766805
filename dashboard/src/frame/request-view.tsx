import { CodeBlock } from '../ui/code-block.tsx'

type Kept = {
  readonly headers: { readonly [name: string]: unknown }
  readonly text: string | null
  readonly details?: Readonly<Record<string, unknown>> | null | undefined
}

/** The request of a webhook as its receiver gets it, without its secrets. */
export function RequestView({ kept: { headers, text, details } }: { kept: Kept }) {
  const first = `${String(details?.method ?? '')} ${String(details?.url ?? '')}`
  const lines = [first, ...Object.entries(headers).map(([name, value]) => `${name}: ${String(value)}`)]
  return (
    <>
      <CodeBlock label="Request">{lines.join('\n')}</CodeBlock>
      {text === null ? <p>It has no body.</p> : <CodeBlock label="Body">{text}</CodeBlock>}
    </>
  )
}
