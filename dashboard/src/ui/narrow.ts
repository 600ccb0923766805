import { useSyncExternalStore } from 'react'

const narrow = '(max-width: 639px)'

/** Whether the screen is so narrow that pages change their form. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(watch, () => matchMedia(narrow).matches)
}

function watch(onChange: () => void): () => void {
  const query = matchMedia(narrow)
  query.addEventListener('change', onChange)
  return () => query.removeEventListener('change', onChange)
}
