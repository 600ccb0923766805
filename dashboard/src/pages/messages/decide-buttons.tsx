import { useState } from 'react'
import {
  type GetAdminMessagesIdReply,
  postAdminMessagesMessageIdLeave,
  postAdminMessagesMessageIdResend,
} from '../../api/generated.ts'
import { channelWords } from '../../frame/channel-words.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'

type Message = GetAdminMessagesIdReply['message']
type Choice = 'resend' | 'leave'

const asked = {
  resend: {
    title: 'Send it again?',
    submit: 'Send again',
    text: (one: string) => `It is not known whether the first ${one} has arrived. It may arrive twice.`,
    said: 'It is sent again, as a new message.',
  },
  leave: {
    title: 'Leave it as it is?',
    submit: 'Leave it',
    text: () => 'It is not sent again, and nobody is asked about it any more. This cannot be taken back.',
    said: 'It is left as it is.',
  },
} as const

/** What can be decided about a message when nobody knows whether it was sent; says what was decided. */
export function DecideButtons({ message: { message_id, channel, is_undecided, decided } }: { message: Message }) {
  const [choice, setChoice] = useState<Choice>()
  const reason = useReason('messages.resend')
  return (
    <>
      {is_undecided && (
        <>
          <Button look="main" disabledReason={reason} onClick={() => setChoice('resend')}>
            Send again
          </Button>
          <Button disabledReason={reason} onClick={() => setChoice('leave')}>
            Leave it
          </Button>
        </>
      )}
      {decided !== null && (
        <span>{decided === 'left' ? 'Somebody decided to leave it as it is.' : 'It was sent again.'}</span>
      )}
      {choice && (
        <DecideDialog id={message_id} channel={channel} choice={choice} onClose={() => setChoice(undefined)} />
      )}
    </>
  )
}

type DecideDialogProps = { id: string; channel: string; choice: Choice; onClose: () => void }

function DecideDialog({ id, channel, choice, onClose }: DecideDialogProps) {
  const { workspace } = useViewer()
  const { title, submit, text, said } = asked[choice]
  const write = useWrite<undefined, { readonly message_id: string }>({
    request: () =>
      (choice === 'resend' ? postAdminMessagesMessageIdResend : postAdminMessagesMessageIdLeave)(id, {
        workspace: workspace.id,
      }),
    said: () => said,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={title}
      submit={submit}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <p>{text(channelWords(channel).one)}</p>
    </FormDialog>
  )
}
