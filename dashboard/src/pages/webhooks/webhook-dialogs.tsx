import { useState } from 'react'
import {
  deleteAdminWebhooksId,
  type PostAdminWebhooksIdReplayBody,
  postAdminWebhooksIdReplay,
  postAdminWebhooksIdRotate,
} from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { ChoiceField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import type { Webhook } from './webhook.ts'
import { MadeSecret } from './webhook-form.tsx'

type DialogProps = { webhook: Webhook; onClose: () => void }

/** Gives a webhook another secret. */
export function RotateSecret({ webhook, onClose }: DialogProps) {
  const { workspace } = useViewer()
  const [overlap, setOverlap] = useState('P1D')
  const [secret, setSecret] = useState<string>()
  const rotate = useWrite({
    request: ({ id }: Webhook) => postAdminWebhooksIdRotate(id, { overlap }, { workspace: workspace.id }),
    onDone: (reply) => setSecret(reply.secret),
  })
  if (secret !== undefined) return <MadeSecret name={webhook.name} secret={secret} onClose={onClose} />
  return (
    <FormDialog
      title={`Give the webhook "${webhook.name}" another secret?`}
      submit="Make a new secret"
      isPending={rotate.isPending}
      refusal={rotate.isError && <Refusal error={rotate.error} />}
      onSubmit={() => rotate.mutate(webhook)}
      onClose={onClose}
    >
      <p>Requests are signed with both secrets for a while, so that the program can change to the new one.</p>
      <ChoiceField
        label="The old secret is used"
        value={overlap}
        options={[
          { value: 'PT0S', label: 'not any more' },
          { value: 'P1D', label: 'for a day' },
          { value: 'P7D', label: 'for a week' },
        ]}
        onChange={setOverlap}
      />
    </FormDialog>
  )
}

const spans = [
  { value: 'PT1H', label: 'the last hour', ms: 3_600_000 },
  { value: 'P1D', label: 'the last day', ms: 86_400_000 },
  { value: 'P7D', label: 'the last week', ms: 604_800_000 },
  { value: 'P30D', label: 'the last 30 days', ms: 2_592_000_000 },
]

/** Sends the events of some time again. */
export function ReplayEvents({ webhook, onClose }: DialogProps) {
  const { workspace, now } = useViewer()
  const [span, setSpan] = useState('P1D')
  const replay = useWrite({
    request: (body: PostAdminWebhooksIdReplayBody) =>
      postAdminWebhooksIdReplay(webhook.id, body, { workspace: workspace.id }),
    said: () => `Events are sent again to "${webhook.name}".`,
    onDone: onClose,
  })
  const fromMs = () => now().getTime() - spans.find(({ value }) => value === span)!.ms
  return (
    <FormDialog
      title={`Send events again to "${webhook.name}"?`}
      submit="Send again"
      isPending={replay.isPending}
      refusal={replay.isError && <Refusal error={replay.error} />}
      onSubmit={() => replay.mutate({ from: new Date(fromMs()).toISOString() })}
      onClose={onClose}
    >
      <p>The program gets them once more, with the same ids, and then what came since.</p>
      <ChoiceField label="Events of" value={span} options={spans} onChange={setSpan} />
    </FormDialog>
  )
}

export function EndWebhook({ webhook, onClose }: DialogProps) {
  const { workspace } = useViewer()
  const end = useWrite({
    request: ({ id }: Webhook) => deleteAdminWebhooksId(id, { workspace: workspace.id }),
    said: () => `The webhook "${webhook.name}" is deleted.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Delete the webhook "${webhook.name}"?`}
      submit="Delete"
      danger
      typed={webhook.name.trim()}
      isPending={end.isPending}
      refusal={end.isError && <Refusal error={end.error} />}
      onSubmit={() => end.mutate(webhook)}
      onClose={onClose}
    >
      <p>Nothing is sent to it any more, also not what waits. It cannot be brought back.</p>
    </FormDialog>
  )
}
