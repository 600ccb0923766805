import { type KeyboardEvent, type ReactNode, useId } from 'react'
import styles from './tabs.module.css'

export type Tab<Key extends string> = { readonly key: Key; readonly label: string }

type TabsProps<Key extends string> = {
  label: string
  tabs: readonly Tab<Key>[]
  selected: Key
  onSelect: (key: Key) => void
  /** The content of the selected tab. */
  children: ReactNode
}

/** Tabs with their content. Arrow keys go from tab to tab. */
export function Tabs<Key extends string>({ label, tabs, selected, onSelect, children }: TabsProps<Key>) {
  // A page may have tabs within tabs.
  const id = useId()
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    // The focused tab is ahead of the selected one while a selection is being drawn.
    const focused = event.target instanceof HTMLElement ? event.target.dataset.tab : undefined
    const at = tabs.findIndex(({ key }) => key === (focused ?? selected))
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (!next) return
    onSelect(next.key)
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus()
  }
  return (
    <>
      <div className={styles.tabs} role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(({ key, label: text }) => (
          <button
            key={key}
            type="button"
            role="tab"
            id={`${id}-${key}`}
            data-tab={key}
            className={styles.tab}
            aria-selected={key === selected}
            aria-controls={`${id}-content`}
            tabIndex={key === selected ? 0 : -1}
            onClick={() => onSelect(key)}
          >
            {text}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-content`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </>
  )
}
