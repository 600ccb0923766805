import { type ReactNode, useState } from 'react'
import { type PostAdminPreviewSendBody, postAdminPreviewSend } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type Chosen, FoundPeople } from './person-picker.tsx'
import styles from './texts.module.css'

type TestProps = {
  body: PostAdminPreviewSendBody
  /** Why there is nothing to send yet. */
  empty: string | undefined
}

/** Sends the text as it stands to a phone number that the viewer gives. */
export function SendTextTest({ body, empty }: TestProps) {
  const [to, setTo] = useState('')
  return (
    <SendMessageTest
      body={{ ...body, to }}
      refused={useReason('messages.test') ?? empty}
      missing={to.trim() === '' ? 'Give a phone number first.' : undefined}
    >
      <TextField
        label="Phone number"
        hint="With its country code, such as +4915112345678."
        type="tel"
        value={to}
        onChange={setTo}
      />
    </SendMessageTest>
  )
}

/** Sends the push as it stands to the devices of a person: the one for which it is shown, until another is chosen. */
export function SendPushTest({ body, empty, person }: TestProps & { person: Chosen | undefined }) {
  const [chosen, choose] = useState<Chosen>()
  const to = chosen ?? person
  const mayTest = useReason('messages.test')
  const mayRead = useReason('people.read')
  return (
    <SendMessageTest
      body={{ ...body, ...(to && { to: to.id }) }}
      refused={mayTest ?? mayRead ?? empty}
      missing={to ? undefined : 'Choose a person first.'}
    >
      <p role="status">
        {to ? (
          <>
            It goes to the devices of <strong dir="auto">{to.name}</strong>.
          </>
        ) : (
          'Whose devices get it?'
        )}
      </p>
      <div className={styles.choice}>
        <FoundPeople onChoose={choose} />
      </div>
    </SendMessageTest>
  )
}

/** Calls the server of a webhook once. */
export function SendCallTest({ body, empty, method, url }: TestProps & { method: string; url: string }) {
  const mayTest = useReason('messages.test')
  const mayLaunch = useReason('campaigns.launch')
  return (
    <SendMessageTest body={body} refused={mayTest ?? mayLaunch ?? empty} missing={undefined}>
      <p>
        The server is called once, with the header <code>Easel-Test: true</code>.
      </p>
      <p className={styles.address} dir="auto">
        <code>{`${method} ${url}`}</code>
      </p>
    </SendMessageTest>
  )
}

type SendMessageTestProps = {
  body: PostAdminPreviewSendBody
  /** Why no test can be sent. */
  refused: string | undefined
  /** What has to be given in the dialog first. */
  missing: string | undefined
  children: ReactNode
}

/** A button with a dialog that sends a message as it stands to the recipient that is chosen there. */
function SendMessageTest({ body, refused, missing, children }: SendMessageTestProps) {
  const { workspace } = useViewer()
  const [isOpen, setIsOpen] = useState(false)
  const send = useWrite({
    request: () => postAdminPreviewSend(body, { workspace: workspace.id }),
    said: ({ sentence }) => sentence,
    onDone: () => setIsOpen(false),
  })
  const close = () => {
    setIsOpen(false)
    send.reset()
  }
  return (
    <>
      <Button disabledReason={refused} onClick={() => setIsOpen(true)}>
        Send a test
      </Button>
      {isOpen && (
        <FormDialog
          title="Send a test"
          submit="Send"
          isPending={send.isPending}
          refusal={send.isError && <Refusal error={send.error} />}
          disabledReason={missing}
          onSubmit={() => send.mutate(undefined)}
          onClose={close}
        >
          {children}
        </FormDialog>
      )}
    </>
  )
}
