import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Operation } from '../../api/operation.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

export type NewTextProps = {
  /** The word for one. */
  one: string
  ability: string
  /** A sentence about names. */
  hint: string
  /** The request that makes one with this name, which answers with its id. */
  make: (name: string) => Operation<unknown>
  idOf: (reply: unknown) => string
  pathOf: (id: string) => string
}

/** Makes a text by its name, with an example to begin from, and opens its editor. */
export function NewText({ one, ability, hint, make, idOf, pathOf }: NewTextProps) {
  const [isOpen, setIsOpen] = useState(false)
  const [name, setName] = useState('')
  const navigate = useNavigate()
  const reason = useReason(ability)
  const write = useWrite({
    request: () => make(name.trim()),
    onDone: (reply) => void navigate({ to: pathOf(idOf(reply)) }),
  })
  return (
    <>
      <Button look="main" disabledReason={reason} onClick={() => setIsOpen(true)}>
        New {one}
      </Button>
      {isOpen && (
        <FormDialog
          title={`New ${one}`}
          submit={`Make the ${one}`}
          disabledReason={name.trim() === '' ? 'Give it a name first.' : undefined}
          isPending={write.isPending}
          refusal={write.isError && <Refusal error={write.error} />}
          onSubmit={() => write.mutate(undefined)}
          onClose={() => setIsOpen(false)}
        >
          <TextField label="Name" hint={hint} value={name} onChange={setName} />
        </FormDialog>
      )}
    </>
  )
}
