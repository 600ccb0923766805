import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import {
  deleteAdminPeopleId,
  deleteAdminSuppressions,
  type GetAdminPeopleIdReply,
  postAdminSuppressions,
} from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { confirmName, displayName } from '../../words/people.ts'

type DialogProps = { reply: GetAdminPeopleIdReply; onClose: () => void }

/** Asks before a person is deleted. The name must be typed. */
export function DeleteDialog({ reply: { person }, onClose }: DialogProps) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const write = useWrite({
    request: () => deleteAdminPeopleId(person.id, { workspace: workspace.id }),
    said: ({ state }) =>
      state === 'done' ? 'The person was deleted.' : 'The deletion was accepted. It is carried out after earlier work.',
    onDone: () => void navigate({ to: paths.people(workspace.id) }),
  })
  return (
    <FormDialog
      title={`Delete ${displayName(person)}`}
      submit="Delete"
      danger
      typed={confirmName(person)}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Everything that is kept about this person is deleted: attributes, events, purchases, messages and entries. This
        cannot be undone.
      </p>
    </FormDialog>
  )
}

/** Asks before nothing more is sent to the address of a person, or before mail may go there again. */
export function SuppressDialog({ reply: { person, email_suppressions }, onClose }: DialogProps) {
  const { workspace } = useViewer()
  const [told, setTold] = useState('')
  const email = person.email ?? ''
  const isSuppressed = email_suppressions.length > 0
  const query = { workspace: workspace.id }
  const write = useWrite({
    request: () =>
      isSuppressed
        ? deleteAdminSuppressions({ email }, query)
        : postAdminSuppressions({ email, ...(told.trim() !== '' && { told: told.trim() }) }, query),
    said: () => (isSuppressed ? `Mail may go to ${email} again.` : `Nothing is sent to ${email} any more.`),
    ...(!isSuppressed && { undo: () => deleteAdminSuppressions({ email, reason: 'blocklist' }, query) }),
    onDone: onClose,
  })
  return (
    <FormDialog
      title={isSuppressed ? `Send to ${email} again` : `Suppress ${email}`}
      submit={isSuppressed ? 'Send again' : 'Suppress'}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      {isSuppressed ? (
        <p>
          Nothing is sent to this address, because: {email_suppressions.join(', ').replaceAll('_', ' ')}. A mail to an
          address that does not exist harms the reputation of the sender.
        </p>
      ) : (
        <>
          <p>Nothing is sent to this address any more. The person stays subscribed.</p>
          <TextField
            label="Why"
            hint="For those who look at this later; may be empty"
            value={told}
            maxLength={500}
            onChange={setTold}
          />
        </>
      )}
    </FormDialog>
  )
}
