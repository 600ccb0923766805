import { Redo2, Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import type { Draft } from '../draft/use-draft.ts'
import { IconButton } from '../ui/button.tsx'
import styles from './edit-head.module.css'

type EditHeadProps = {
  /** Where the thing is, and links to how it is now. */
  crumbs: ReactNode
  title: string
  edits: Pick<Draft<unknown>, 'canUndo' | 'canRedo' | 'undo' | 'redo'>
  /** What can be done with the edits. */
  children: ReactNode
}

/** The head of a page on which a document is edited, with the buttons that undo, redo and save. */
export function EditHead({ crumbs, title, edits, children }: EditHeadProps) {
  return (
    <>
      <p className={styles.crumbs}>{crumbs}</p>
      <div className={styles.top}>
        <h1 dir="auto">{title}</h1>
        <div className={styles.buttons}>
          <IconButton
            label="Undo (Ctrl Z)"
            disabledReason={edits.canUndo ? undefined : 'Nothing to undo.'}
            onClick={edits.undo}
          >
            <Undo2 size={16} aria-hidden />
          </IconButton>
          <IconButton
            label="Redo (Ctrl Shift Z)"
            disabledReason={edits.canRedo ? undefined : 'Nothing to redo.'}
            onClick={edits.redo}
          >
            <Redo2 size={16} aria-hidden />
          </IconButton>
          {children}
        </div>
      </div>
    </>
  )
}
