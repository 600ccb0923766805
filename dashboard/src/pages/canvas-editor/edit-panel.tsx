import { X } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { IconButton } from '../../ui/button.tsx'
import styles from './editor.module.css'

type EditPanelProps = {
  title: string
  /** Puts the focus into the first field. */
  takesFocus: boolean
  actions?: ReactNode
  onClose: () => void
  children: ReactNode
}

/** The forms of what is chosen, beside the picture. Escape closes it. */
export function EditPanel({ title, takesFocus, actions, onClose, children }: EditPanelProps) {
  const body = useRef<HTMLDivElement>(null)
  const close = useRef(onClose)
  close.current = onClose
  useEffect(() => {
    if (takesFocus) body.current?.querySelector<HTMLElement>('input, select, textarea, button')?.focus()
  }, [takesFocus])
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      // Escape also closes a dialog, and the list of words in a field for code.
      if (event.key !== 'Escape' || document.querySelector('dialog[open], .cm-tooltip-autocomplete')) return
      close.current()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
  return (
    <aside className={styles.panel} aria-label={title}>
      <div className={styles.panelHead}>
        <h2 dir="auto">{title}</h2>
        {actions}
        <IconButton label="Close (Esc)" onClick={onClose}>
          <X size={16} aria-hidden />
        </IconButton>
      </div>
      <div className={styles.panelBody} ref={body}>
        {children}
      </div>
    </aside>
  )
}
