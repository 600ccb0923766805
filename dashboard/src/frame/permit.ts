import { useViewer } from './viewer.tsx'

/** Returns why a button cannot be used by this viewer; undefined when it can. */
export function useReason(ability: string): string | undefined {
  const { may } = useViewer()
  if (may(ability)) return undefined
  return `It takes the permission ${ability}. An administrator of your company can give it to you.`
}
