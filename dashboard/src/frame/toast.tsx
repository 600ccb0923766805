import { useSyncExternalStore } from 'react'
import { Button } from '../ui/button.tsx'
import styles from './toast.module.css'

type Toast = { readonly sentence: string; readonly undo?: (() => void) | undefined }

const shownMs = 4_000
/** How long something that was removed can be brought back. */
const undoMs = 10_000

let current: Toast | undefined
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** Says a sentence at the edge of the page for a few seconds. With `undo`, for ten, and with a button that calls it. */
export function announce(sentence: string, undo?: () => void): void {
  show({ sentence, undo })
  clearTimeout(timer)
  timer = setTimeout(() => show(undefined), undo ? undoMs : shownMs)
}

function show(toast: Toast | undefined): void {
  current = toast
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Where the sentences of `announce` are shown. */
export function Toasts() {
  const toast = useSyncExternalStore(subscribe, () => current)
  const undo = toast?.undo
  return (
    <div className={styles.toast} role="status">
      {toast?.sentence}
      {undo && (
        <Button
          onClick={() => {
            show(undefined)
            undo()
          }}
        >
          Undo
        </Button>
      )}
    </div>
  )
}
