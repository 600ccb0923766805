import { Button } from './button.tsx'
import { CopyButton } from './copy.tsx'
import { Dialog } from './dialog.tsx'
import styles from './secret-dialog.module.css'

type SecretDialogProps = {
  /** What the dialog is called for screen readers. */
  label: string
  title: string
  /** One sentence that says to where it belongs. */
  sentence: string
  secret: string
  /** What the button copies, such as `the key`. */
  what: string
  onClose: () => void
}

/** Shows a secret, this once. It closes by its button only. */
export function SecretDialog({ label, title, sentence, secret, what, onClose }: SecretDialogProps) {
  return (
    <Dialog label={label} staysOpen onClose={onClose}>
      <div className={styles.content}>
        <h2 dir="auto">{title}</h2>
        <p>{sentence}</p>
        <code className={styles.secret} data-secret>
          {secret}
        </code>
        <div className={styles.buttons}>
          <CopyButton text={secret} label={`Copies ${what}`}>
            Copy
          </CopyButton>
          <Button look="main" onClick={onClose}>
            Done
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
