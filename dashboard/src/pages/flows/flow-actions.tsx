import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import {
  postAdminCampaignsIdPause,
  postAdminCampaignsIdResume,
  postAdminCampaignsIdStop,
  postAdminCanvasesIdPause,
  postAdminCanvasesIdResume,
  postAdminCanvasesIdStop,
} from '../../api/generated.ts'
import type { Operation } from '../../api/operation.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button, buttonClass } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { SendButton } from '../flow-send/send-button.tsx'
import { ImpactNote, useImpact } from './flow-impact.tsx'
import { type Flow, type FlowKind, pathOfEditor } from './flow-words.ts'

type Action = 'pause' | 'resume' | 'stop'

const operations = {
  canvas: { pause: postAdminCanvasesIdPause, resume: postAdminCanvasesIdResume, stop: postAdminCanvasesIdStop },
  campaign: { pause: postAdminCampaignsIdPause, resume: postAdminCampaignsIdResume, stop: postAdminCampaignsIdStop },
} as const

const offered: Readonly<Record<Flow['state'], readonly Action[]>> = {
  draft: [],
  active: ['pause', 'stop'],
  paused: ['resume', 'stop'],
  archived: [],
}

const words = {
  pause: {
    button: 'Pause',
    said: 'is paused. People in it are held where they stand.',
    does: 'People in it are held where they stand, and no order makes people enter. Resume it to let them go on.',
  },
  resume: {
    button: 'Resume',
    said: 'goes on.',
    does: 'People who are held go on. Steps whose time has come meanwhile are carried out at once.',
  },
  stop: {
    button: 'Stop',
    said: 'is stopped. The people in it leave.',
    does: 'The people in it leave, and get nothing more of it. It cannot be resumed. To hold people where they stand, pause it instead.',
  },
} as const

/** What can be done with a flow now. Each is confirmed with the number of people it touches. */
export function FlowActions({ kind, flow }: { kind: FlowKind; flow: Flow }) {
  const [action, setAction] = useState<Action>()
  const launch = useReason(kind === 'canvas' ? 'canvases.launch' : 'campaigns.launch')
  const end = useReason(kind === 'canvas' ? 'canvases.end' : 'campaigns.end')
  return (
    <>
      {flow.state !== 'archived' && <SendButton kind={kind} flow={flow} />}
      <EditLink kind={kind} id={flow.id} />
      {offered[flow.state].map((each) => (
        <Button key={each} disabledReason={each === 'stop' ? end : launch} onClick={() => setAction(each)}>
          {words[each].button}
        </Button>
      ))}
      {action && <Confirm kind={kind} flow={flow} action={action} onClose={() => setAction(undefined)} />}
    </>
  )
}

/** A link to the editor. Somebody who may not edit sees there why. */
function EditLink({ kind, id }: { kind: FlowKind; id: string }) {
  const { workspace } = useViewer()
  return (
    <Link to={pathOfEditor(kind, workspace.id, id)} className={buttonClass('plain')}>
      Edit
    </Link>
  )
}

type ConfirmProps = { kind: FlowKind; flow: Flow; action: Action; onClose: () => void }

function Confirm({ kind, flow, action, onClose }: ConfirmProps) {
  const { workspace } = useViewer()
  const { button, said, does } = words[action]
  const impact = useImpact({ kind, id: flow.id })
  const act = useWrite({
    request: (): Operation<unknown> => operations[kind][action](flow.id, { workspace: workspace.id }),
    said: () => `"${flow.name}" ${said}`,
    onDone: onClose,
  })
  const isTyped = action === 'stop' && (impact.data?.open ?? 0) > 0
  return (
    <FormDialog
      title={`${button} "${flow.name}"?`}
      submit={`${button} the ${kind}`}
      danger={action === 'stop'}
      {...(isTyped && { typed: flow.name.trim() })}
      disabledReason={impact.data === undefined ? 'The people in it are not counted yet.' : undefined}
      isPending={act.isPending}
      refusal={act.isError && <Refusal error={act.error} />}
      onSubmit={() => act.mutate(undefined)}
      onClose={onClose}
    >
      <ImpactNote impact={impact} />
      <p>{does}</p>
    </FormDialog>
  )
}
