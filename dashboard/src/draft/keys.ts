import { useEffect, useRef } from 'react'

export type DraftKeys = { readonly undo: () => void; readonly redo: () => void; readonly save: () => void }

/** Listens to Ctrl Z, Ctrl Shift Z, Ctrl Y and Ctrl S while an editor is shown. An open dialog keeps its keys. */
export function useDraftKeys(keys: DraftKeys): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || document.querySelector('dialog[open]')) return
      const act = actionOf(event, latest.current)
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function actionOf({ key, shiftKey }: KeyboardEvent, { undo, redo, save }: DraftKeys): (() => void) | undefined {
  const letter = key.toLowerCase()
  if (letter === 's' && !shiftKey) return save
  if (letter === 'y' && !shiftKey) return redo
  if (letter === 'z') return shiftKey ? redo : undo
  return undefined
}
