import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Operation } from '../../api/operation.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import type { Users } from '../../frame/used-by.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'

type DeleteButtonProps = {
  one: string
  name: string
  users: Users
  ability: string
  operation: Operation<unknown>
  /** The list, which is shown afterwards. */
  to: string
}

/** Deletes a text that nothing uses. */
export function DeleteButton({ one, name, users, ability, operation, to }: DeleteButtonProps) {
  const [isAsked, setIsAsked] = useState(false)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const permit = useReason(ability)
  const remove = useWrite({
    request: () => operation,
    said: () => `The ${one} was deleted.`,
    onDone() {
      // What is gone must not be read anew while the page is left.
      queries.removeQueries({ queryKey: [operation.path] })
      queries.removeQueries({ queryKey: ['preview'] })
      void navigate({ to, ignoreBlocker: true })
    },
  })
  return (
    <>
      <Button disabledReason={permit ?? usedReason(users)} onClick={() => setIsAsked(true)}>
        Delete
      </Button>
      {isAsked && (
        <FormDialog
          title={`Delete the ${one} "${name}"?`}
          submit={`Delete the ${one}`}
          danger
          isPending={remove.isPending}
          refusal={remove.isError && <Refusal error={remove.error} />}
          onSubmit={() => remove.mutate(undefined)}
          onClose={() => setIsAsked(false)}
        >
          <p>Nothing uses it. It cannot be brought back.</p>
        </FormDialog>
      )}
    </>
  )
}

function usedReason({ used_by, used_by_count }: Users): string | undefined {
  if (used_by_count === 0) return undefined
  const named = used_by.map(({ name }) => name).join(', ')
  return `It is used ${formatCount(used_by_count)} times${named === '' ? '' : `: ${named}`}. Take it out there first.`
}
