import { CallError } from '../../api/errors.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { Button } from '../../ui/button.tsx'
import styles from './access.module.css'

const staleStatus = 412

type StaleRefusalProps = {
  error: unknown
  /** Saves what was edited over what a colleague has stored meanwhile. */
  onOverwrite: () => void
  /** Gives up what was edited, and reads what is stored. */
  onTake: () => void
}

/** Why something was not saved. When a colleague has changed it meanwhile, one chooses which version stays. */
export function StaleRefusal({ error, onOverwrite, onTake }: StaleRefusalProps) {
  return (
    <div className={styles.refusal} role="alert">
      <Refusal error={error} />
      {error instanceof CallError && error.status === staleStatus && (
        <div className={styles.buttons}>
          <Button onClick={onOverwrite}>Save mine over it</Button>
          <Button onClick={onTake}>Take what is stored</Button>
        </div>
      )}
    </div>
  )
}
