import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './scim.module.css'

type MadeTokenProps = { made: { readonly name: string; readonly token: string }; onClose: () => void }

/** The text of a token, this once. */
export function MadeToken({ made, onClose }: MadeTokenProps) {
  return (
    <Dialog label="The text of the token" staysOpen onClose={onClose}>
      <div className={styles.made}>
        <h2 dir="auto">The token "{made.name}"</h2>
        <p>This is the only time that its text is shown. Give it to your identity provider now.</p>
        <code className={styles.text} data-secret>
          {made.token}
        </code>
        <div className={styles.buttons}>
          <CopyButton text={made.token} label="Copies the token">
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
