import { useBlocker } from '@tanstack/react-router'
import { FormDialog } from '../ui/form-dialog.tsx'

/** Asks before a page with unsaved changes is left. A link of the page itself, such as a tab, is no reason to ask. */
export function UnsavedGuard({ isChanged }: { isChanged: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isChanged && current.pathname !== next.pathname,
    enableBeforeUnload: isChanged,
    withResolver: true,
  })
  if (status !== 'blocked') return null
  return (
    <FormDialog title="Leave without saving?" submit="Leave" onSubmit={proceed} onClose={reset}>
      <p>Your changes are not saved. They stay in this tab until you save or discard them.</p>
    </FormDialog>
  )
}
