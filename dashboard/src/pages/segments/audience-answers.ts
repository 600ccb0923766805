import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { postAdminAudienceCheck, postAdminAudienceCount } from '../../api/generated.ts'
import { asking } from '../../api/queries.ts'
import { readMistakes } from '../../draft/mistakes.ts'
import type { Audience } from './segment-draft.ts'

/** Questions are asked when nothing was changed for so long. */
const restMs = 400

/** What the server says about an audience that is edited: its mistakes, its words, and how many people are in it and its parts. */
export type AudienceAnswers = ReturnType<typeof useAudienceAnswers>

/** Asks the server about an audience when the edits rest. An answer belongs to its question, so late answers change nothing. */
export function useAudienceAnswers(workspace: string, audience: Audience) {
  const rested = useRested(audience)
  const check = useQuery({
    ...asking(postAdminAudienceCheck({ audience: rested }, { workspace })),
    placeholderData: keepPreviousData,
  })
  const isChecked = check.data !== undefined && !check.isPlaceholderData
  const isValid = isChecked && check.data.is_valid
  const count = useQuery({
    ...asking(postAdminAudienceCount({ audience: rested }, { workspace })),
    placeholderData: keepPreviousData,
    enabled: isValid,
  })
  const mistakes = useMemo(() => readMistakes(check.data?.mistakes ?? []), [check.data])
  const counts = useMemo(() => new Map(count.data?.parts.map((part) => [part.path, part])), [count.data])
  return {
    check,
    count,
    mistakes,
    counts,
    /** The audience to which the answers belong. */
    asked: rested,
    isValid,
    /** Why the audience cannot be counted now. */
    reason: reasonOf(isValid, check),
    /** The audience has changed since the answers that are shown. */
    isStale: rested !== audience || check.isPlaceholderData || count.isPlaceholderData || !isValid,
  }
}

function reasonOf(
  isValid: boolean,
  check: { readonly isError: boolean; readonly isFetching: boolean },
): string | undefined {
  if (isValid) return undefined
  if (check.isError) return 'The conditions could not be checked.'
  return check.isFetching ? 'The conditions are checked now.' : 'The conditions have a mistake.'
}

/** Returns a value once it has not changed for a while. */
function useRested<Value>(value: Value): Value {
  const [rested, setRested] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs)
    return () => clearTimeout(timer)
  }, [value])
  return rested
}
