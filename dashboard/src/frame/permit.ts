import { giversSentence, useGivers } from './givers.tsx'
import { useViewer } from './viewer.tsx'

/** Returns why a button cannot be used by this viewer, and who can change that; undefined when it can. */
export function useReason(ability: string): string | undefined {
  const { may } = useViewer()
  const isAllowed = may(ability)
  const givers = useGivers(isAllowed ? undefined : ability)
  return isAllowed ? undefined : `It takes the permission ${ability}. ${giversSentence(givers)}`
}
