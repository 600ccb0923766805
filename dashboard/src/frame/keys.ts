import { useEffect, useRef } from 'react'

export type KeyActions = {
  /** Where `g` and a letter go. */
  readonly goTo: ReadonlyMap<string, () => void>
  readonly openPalette: () => void
  readonly showKeys: () => void
  readonly copyCurl: () => void
  readonly closePanel: () => void
  /** Whether single letters are keys. Ctrl K always is one. */
  readonly letters: boolean
}

const sequenceMs = 1_500

/** Listens to the keys of the frame while it is shown. Keys that are typed into a field belong to the field. */
export function useKeys(actions: KeyActions): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    let goneMs = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        latest.current.openPalette()
        return
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const afterG = event.timeStamp - goneMs < sequenceMs
      goneMs = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY
      const act = actionOf(event.key, afterG, latest.current)
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

function isTyping(target: EventTarget | null): boolean {
  const inDialog = document.querySelector('dialog[open]') !== null
  return (
    inDialog || (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null)
  )
}

function actionOf(key: string, afterG: boolean, actions: KeyActions): (() => void) | undefined {
  if (key === 'Escape') return actions.closePanel
  if (!actions.letters) return undefined
  if (afterG) return actions.goTo.get(key)
  const single: Readonly<Record<string, () => void>> = {
    '/': focusSearch,
    '?': actions.showKeys,
    '.': actions.copyCurl,
    j: () => moveRow(1),
    k: () => moveRow(-1),
  }
  return Object.hasOwn(single, key) ? single[key] : undefined
}

function focusSearch(): void {
  const field = document.querySelector<HTMLInputElement>('main [data-search]')
  field?.focus()
  field?.select()
}

/** Moves the focus to the link of the next or previous row of a list. */
function moveRow(step: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('[data-row]')].flatMap((row) => row.querySelector('a') ?? [])
  const at = links.indexOf(document.activeElement as HTMLAnchorElement)
  links[at < 0 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]?.focus()
}
