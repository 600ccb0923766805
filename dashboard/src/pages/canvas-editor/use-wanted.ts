import { useEffect } from 'react'
import type { Path } from '../../draft/path.ts'
import { focusField } from '../flow-forms/at-path.tsx'

/** How long it looks for the form, which may have to be loaded over a slow network. */
const waitMs = 30_000

/** Puts the focus into the field of a value as soon as its form is shown: a form can be loaded first. Another object is another wish. */
export function useWanted(path: Path | undefined): void {
  useEffect(() => {
    if (!path) return
    // The path of a step is in its panel, which is not there yet.
    const until = setTimeout(() => observer.disconnect(), waitMs)
    const look = () => {
      if (document.querySelector('aside [data-path]') === null || !focusField(path)) return
      observer.disconnect()
      clearTimeout(until)
    }
    const observer = new MutationObserver(look)
    observer.observe(document.body, { childList: true, subtree: true })
    look()
    return () => {
      observer.disconnect()
      clearTimeout(until)
    }
  }, [path])
}
