import { CallError, sentenceIn, titleOf } from '../api/errors.ts'
import { Lacking } from './failure.tsx'

/** What the server said about a write that it refused, for the form that made it. */
export function Refusal({ error }: { error: unknown }) {
  const failure = error instanceof CallError ? error : undefined
  return (
    <>
      <strong>{failure?.status === 403 ? 'You may not do this' : titleOf(error)}</strong>
      <p>{sentenceIn(error)}</p>
      {failure?.status === 403 && <Lacking message={failure.message} />}
      {failure?.requestId && (
        <p>
          Request <code>{failure.requestId}</code>
        </p>
      )}
    </>
  )
}
