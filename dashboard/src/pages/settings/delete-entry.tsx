import type { ReactNode } from 'react'
import type { Operation } from '../../api/operation.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useWrite } from '../../frame/write.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'

type DeleteEntryProps = {
  one: string
  name: string
  operation: Operation<unknown>
  onClose: () => void
  /** What follows from it. */
  children: ReactNode
}

/** Asks before an entry is deleted. */
export function DeleteEntry({ one, name, operation, onClose, children }: DeleteEntryProps) {
  const remove = useWrite({
    request: () => operation,
    said: () => `The ${one} "${name}" is deleted.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Delete the ${one} "${name}"?`}
      submit="Delete"
      danger
      isPending={remove.isPending}
      refusal={remove.isError && <Refusal error={remove.error} />}
      onSubmit={() => remove.mutate(undefined)}
      onClose={onClose}
    >
      <p>{children}</p>
    </FormDialog>
  )
}
