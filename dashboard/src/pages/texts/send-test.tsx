import { type PostAdminPreviewSendBody, postAdminPreviewSend } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import styles from './texts.module.css'

/** Sends the mail as it stands to the viewer. */
export function SendTest({ body }: { body: PostAdminPreviewSendBody }) {
  const { workspace } = useViewer()
  const reason = useReason('messages.test')
  const send = useWrite({
    request: () => postAdminPreviewSend(body, { workspace: workspace.id }),
    said: ({ sentence }) => sentence,
  })
  return (
    <>
      <Button disabledReason={reason} onClick={() => !send.isPending && send.mutate(undefined)}>
        {send.isPending ? 'Sending ...' : 'Send me a test'}
      </Button>
      {send.isError && (
        <Dialog label="The test was not sent" onClose={send.reset}>
          <div className={styles.dialog}>
            <Refusal error={send.error} />
            <Button look="main" onClick={send.reset}>
              Close
            </Button>
          </div>
        </Dialog>
      )}
    </>
  )
}
