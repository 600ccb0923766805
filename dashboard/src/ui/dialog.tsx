import { type ReactNode, useEffect, useRef } from 'react'
import styles from './dialog.module.css'

type DialogProps = {
  label: string
  /** A click beside the dialog does not close it, so that nothing typed is lost. */
  staysOpen?: boolean
  onClose: () => void
  children: ReactNode
}

/** A modal dialog. Escape and a click beside it close it, and the focus returns to where it was. */
export function Dialog({ label, staysOpen, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes a dialog with Escape.
    <dialog
      ref={dialog}
      className={styles.dialog}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (!staysOpen && event.target === dialog.current) dialog.current.close()
      }}
    >
      {children}
    </dialog>
  )
}
