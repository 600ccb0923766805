import { useState } from 'react'
import { type PostAdminPreviewSendBody, postAdminPreviewSend } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

type SendTextTestProps = { body: PostAdminPreviewSendBody; isEmpty: boolean }

/** Sends the text as it stands to a phone number that the viewer gives. */
export function SendTextTest({ body, isEmpty }: SendTextTestProps) {
  const { workspace } = useViewer()
  const [isOpen, setIsOpen] = useState(false)
  const [to, setTo] = useState('')
  const reason = useReason('messages.test') ?? (isEmpty ? 'There is no text yet.' : undefined)
  const send = useWrite({
    request: () => postAdminPreviewSend({ ...body, to }, { workspace: workspace.id }),
    said: ({ sentence }) => sentence,
    onDone: () => setIsOpen(false),
  })
  const close = () => {
    setIsOpen(false)
    send.reset()
  }
  return (
    <>
      <Button disabledReason={reason} onClick={() => setIsOpen(true)}>
        Send a test
      </Button>
      {isOpen && (
        <FormDialog
          title="Send a test"
          submit="Send"
          isPending={send.isPending}
          refusal={send.isError && <Refusal error={send.error} />}
          disabledReason={to.trim() === '' ? 'Give a phone number first.' : undefined}
          onSubmit={() => send.mutate(undefined)}
          onClose={close}
        >
          <TextField
            label="Phone number"
            hint="With its country code, such as +4915112345678."
            type="tel"
            value={to}
            onChange={setTo}
          />
        </FormDialog>
      )}
    </>
  )
}
