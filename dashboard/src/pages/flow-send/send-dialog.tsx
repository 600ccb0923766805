import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { CallError } from '../../api/errors.ts'
import {
  type PostAdminCampaignsIdSendReply,
  postAdminCampaignsIdDryRun,
  postAdminCampaignsIdSend,
  postAdminCanvasesIdDryRun,
  postAdminCanvasesIdSend,
} from '../../api/generated.ts'
import type { Operation } from '../../api/operation.ts'
import { asking } from '../../api/queries.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'
import type { Flow, FlowKind } from '../flows/flow-words.ts'
import { Reach } from './reach.tsx'
import { RecipientsFields } from './recipients-fields.tsx'
import {
  begin,
  type Order,
  orderOf,
  recipientsOf,
  recipientsReason,
  type SendChoice,
  whenReason,
} from './send-order.ts'
import { WhenFields } from './when-fields.tsx'

/** A send to more people than this is confirmed with the name of the flow. */
const typedAbove = 1_000

const operations = {
  canvas: { send: postAdminCanvasesIdSend, dryRun: postAdminCanvasesIdDryRun },
  campaign: { send: postAdminCampaignsIdSend, dryRun: postAdminCampaignsIdDryRun },
} as const

type SendDialogProps = { kind: FlowKind; flow: Flow; onClose: () => void }

/** Sends a canvas or a campaign: the recipients, the time, and first how many people it would reach and why not the others. */
export function SendDialog({ kind, flow, onClose }: SendDialogProps) {
  const { workspace, zone, may } = useViewer()
  const navigate = useNavigate()
  const [choice, setChoice] = useState<SendChoice>(begin)
  const mayCount = may('people.read')
  const missing = recipientsReason(choice)
  const query = { workspace: workspace.id }
  const reach = useQuery({
    ...asking(operations[kind].dryRun(flow.id, recipientsOf(choice), query)),
    enabled: mayCount && missing === undefined,
    // Who is reached is a question about now.
    staleTime: 0,
    gcTime: 0,
  })
  const send = useWrite({
    request: (order: Order): Operation<PostAdminCampaignsIdSendReply> => operations[kind].send(flow.id, order, query),
    said: () => (choice.when === 'now' ? `"${flow.name}" is being sent.` : `The send of "${flow.name}" is planned.`),
    onDone({ dispatch_id }) {
      onClose()
      void navigate({ to: may('messages.read') ? paths.send(workspace.id, dispatch_id) : paths.sends(workspace.id) })
    },
  })
  const count = reach.data?.counts.would_enter
  const isCounted = !mayCount || (reach.data !== undefined && !reach.isFetching) || reach.isError
  const reason = missing ?? whenReason(choice) ?? (isCounted ? undefined : 'The people are counted now.')
  // What is not counted may be many.
  const isTyped = count === undefined || count > typedAbove || reach.data?.complete === false
  const change = (some: Partial<SendChoice>) => {
    send.reset()
    setChoice({ ...choice, ...some })
  }
  return (
    <FormDialog
      title={`Send "${flow.name}"`}
      submit={submitWords(choice, count)}
      {...(isTyped && reason === undefined && { typed: flow.name.trim() })}
      disabledReason={reason}
      isPending={send.isPending}
      refusal={send.isError && <SendRefusal error={send.error} />}
      onSubmit={() => send.mutate(orderOf(choice, zone))}
      onClose={onClose}
    >
      <RecipientsFields choice={choice} onChange={change} />
      <WhenFields choice={choice} onChange={change} />
      <Reach read={reach} mayCount={mayCount} isAsked={missing === undefined} />
    </FormDialog>
  )
}

function submitWords({ when }: SendChoice, count: number | undefined): string {
  const people = count === undefined ? '' : ` to ${formatCount(count)} ${count === 1 ? 'person' : 'people'}`
  return when === 'now' ? `Send now${people}` : `Plan the send${people}`
}

/** A request without an answer may have been carried out, so that it must not be repeated blindly. */
function SendRefusal({ error }: { error: unknown }) {
  const isUnknown = !(error instanceof CallError) || error.status === undefined
  return (
    <>
      <Refusal error={error} />
      {isUnknown && <p>It may have been sent all the same. Look at the list of sends before you try again.</p>}
    </>
  )
}
