import { useState } from 'react'
import type { GetAdminPeopleIdReply } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Button } from '../../ui/button.tsx'
import { EditDialog } from './edit-dialog.tsx'
import { DeleteDialog, SuppressDialog } from './end-dialog.tsx'
import { MergeDialog } from './merge-dialog.tsx'
import type { PersonDraft } from './person-draft.ts'
import styles from './person-page.module.css'
import { RecordDialog } from './record-dialog.tsx'

type Action = 'edit' | 'record' | 'merge' | 'delete' | 'suppress'

/** What can be done with a person. */
export function PersonActions({ reply, onWhy }: { reply: GetAdminPeopleIdReply; onWhy: () => void }) {
  const [open, setOpen] = useState<Action>()
  // What was typed stays when the form is closed before it is sent.
  const [draft, setDraft] = useState<PersonDraft>()
  const close = () => setOpen(undefined)
  const mayEdit = useReason('people.edit')
  const mayMerge = useReason('people.merge')
  const mayEnd = useReason('people.end')
  const maySuppress = useReason('suppressions.edit')
  const hasAddress = reply.person.email !== null
  return (
    <div className={styles.actions}>
      <Button disabledReason={mayEdit} onClick={() => setOpen('edit')}>
        Edit
      </Button>
      <Button disabledReason={mayEdit} onClick={() => setOpen('record')}>
        Record event
      </Button>
      <Button disabledReason={mayMerge} onClick={() => setOpen('merge')}>
        Merge
      </Button>
      {hasAddress && (
        <Button disabledReason={maySuppress} onClick={() => setOpen('suppress')}>
          {reply.email_suppressions.length > 0 ? 'Send again' : 'Suppress'}
        </Button>
      )}
      <Button disabledReason={mayEnd} onClick={() => setOpen('delete')}>
        Delete
      </Button>
      <Button look="main" onClick={onWhy}>
        Why not ...?
      </Button>
      {open === 'edit' && <EditDialog reply={reply} typed={draft} onTyped={setDraft} onClose={close} />}
      {open === 'record' && <RecordDialog id={reply.person.id} onClose={close} />}
      {open === 'merge' && <MergeDialog reply={reply} onClose={close} />}
      {open === 'suppress' && <SuppressDialog reply={reply} onClose={close} />}
      {open === 'delete' && <DeleteDialog reply={reply} onClose={close} />}
    </div>
  )
}
