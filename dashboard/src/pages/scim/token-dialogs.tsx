import { useState } from 'react'
import {
  deleteAdminScimTokensId,
  type PostAdminScimTokensIdRotateReply,
  postAdminScimTokensIdRotate,
} from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useWrite } from '../../frame/write.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { MadeToken } from './made-token.tsx'
import type { Token } from './token.ts'

type DialogProps = { token: Token; onClose: () => void }

/** Gives a token another text. */
export function RotateToken({ token, onClose }: DialogProps) {
  const [made, setMade] = useState<PostAdminScimTokensIdRotateReply['token']>()
  const rotate = useWrite({
    request: ({ id }: Token) => postAdminScimTokensIdRotate(id),
    onDone: (reply) => setMade(reply.token),
  })
  if (made) return <MadeToken made={made} onClose={onClose} />
  return (
    <FormDialog
      title={`Give the token "${token.name}" another text?`}
      submit="Rotate"
      danger
      isPending={rotate.isPending}
      refusal={rotate.isError && <Refusal error={rotate.error} />}
      onSubmit={() => rotate.mutate(token)}
      onClose={onClose}
    >
      <p>The old text is refused everywhere within a second. The provider is locked out until it has the new one.</p>
    </FormDialog>
  )
}

export function EndToken({ token, onClose }: DialogProps) {
  const end = useWrite({
    request: ({ id }: Token) => deleteAdminScimTokensId(id),
    said: () => `The token "${token.name}" is deleted.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Delete the token "${token.name}"?`}
      submit="Delete"
      danger
      typed={token.name.trim()}
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(token)}
      onClose={onClose}
    >
      <p>
        It is refused everywhere within a second, and cannot be brought back. People who leave the company are not
        signed out by the provider any more.
      </p>
    </FormDialog>
  )
}
