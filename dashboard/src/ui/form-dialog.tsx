import { type FormEvent, type ReactNode, useState } from 'react'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import styles from './form.module.css'
import { TextField } from './form.tsx'

type FormDialogProps = {
  title: string
  /** The word on the button, such as `Delete`. */
  submit: string
  /** Draws the button for something that cannot be taken back. */
  danger?: boolean
  /** The text that must be typed before the button works, such as the name of what is deleted. */
  typed?: string
  /** Why the form cannot be sent yet. */
  disabledReason?: string | undefined
  /** The request is in flight. */
  isPending?: boolean
  /** What the server said about the last try. */
  refusal?: ReactNode
  onSubmit: () => void
  onClose: () => void
  children?: ReactNode
}

/**
 * A dialog that asks before something is done, or that takes a few values. It stays open, with what was typed, until the caller closes it
 * after a good answer, or the reader cancels.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, submit, danger, typed, isPending = false, refusal, onSubmit, onClose, children } = props
  const [text, setText] = useState('')
  const reason = reasonOf(props, text)
  const send = (event: FormEvent) => {
    event.preventDefault()
    if (reason === undefined) onSubmit()
  }
  return (
    <Dialog label={title} staysOpen onClose={onClose}>
      <form className={styles.form} onSubmit={send}>
        <h2 dir="auto">{title}</h2>
        {children}
        {typed !== undefined && (
          <TextField label={`Type "${typed}" to confirm`} value={text} onChange={setText} spellCheck={false} />
        )}
        {refusal && (
          <div className={styles.refusal} role="alert">
            {refusal}
          </div>
        )}
        <div className={styles.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look={danger ? 'danger' : 'main'} disabledReason={reason}>
            {isPending ? 'Working ...' : submit}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

function reasonOf({ typed, disabledReason, isPending }: FormDialogProps, text: string): string | undefined {
  if (isPending) return 'The request is on its way.'
  if (typed !== undefined && text.trim() !== typed) return 'Type the text above first.'
  return disabledReason
}
