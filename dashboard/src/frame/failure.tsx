import { CallError, sentenceIn, titleOf } from '../api/errors.ts'
import { Button } from '../ui/button.tsx'
import { Problem } from '../ui/states.tsx'
import { abilityInRefusal, WhoCanGive } from './givers.tsx'

/** A failed request where its answer would be: the sentence of the server, its request id, and another try. */
export function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const failure = error instanceof CallError ? error : undefined
  const isDefinite = failure?.status === 403 || failure?.status === 404
  return (
    <Problem title={titleOf(error)} actions={isDefinite ? undefined : <Button onClick={onRetry}>Try again</Button>}>
      <p>{sentenceIn(error)}</p>
      {failure?.status === 403 && <Lacking message={failure.message} />}
      {failure?.requestId && (
        <p>
          Request <code>{failure.requestId}</code>
        </p>
      )}
    </Problem>
  )
}

/** What is shown instead of a page that needs an ability the viewer lacks. */
export function NoPermission({ what, ability }: { what: string; ability: string }) {
  return (
    <Problem title={`You may not see ${what}`}>
      <WhoCanGive ability={ability} />
    </Problem>
  )
}

/** Who can give what a refusal names. */
export function Lacking({ message }: { message: string }) {
  const ability = abilityInRefusal(message)
  return ability === undefined ? null : <WhoCanGive ability={ability} />
}
