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
import { Button } from '../../ui/button.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { formatCount } from '../../words/numbers.ts'
import type { Flow, FlowKind } from './flow-words.ts'

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
  pause: { button: 'Pause', said: 'is paused. People in it are held where they stand.' },
  resume: { button: 'Resume', said: 'goes on.' },
  stop: { button: 'Stop', said: 'is stopped. The people in it leave.' },
} as const

/** What can be done with a flow now. */
export function FlowActions({ kind, flow }: { kind: FlowKind; flow: Flow }) {
  const { workspace } = useViewer()
  const [isStopping, setIsStopping] = useState(false)
  const launch = useReason(kind === 'canvas' ? 'canvases.launch' : 'campaigns.launch')
  const end = useReason(kind === 'canvas' ? 'canvases.end' : 'campaigns.end')
  const act = useWrite({
    request: (action: Action): Operation<unknown> => operations[kind][action](flow.id, { workspace: workspace.id }),
    said: (_reply, action) => `"${flow.name}" ${words[action].said}`,
    onDone: () => setIsStopping(false),
  })
  const press = (action: Action) => {
    act.reset()
    if (action === 'stop') setIsStopping(true)
    else act.mutate(action)
  }
  return (
    <>
      {offered[flow.state].map((action) => (
        <Button
          key={action}
          disabledReason={
            (action === 'stop' ? end : launch) ?? (act.isPending ? 'The request is on its way.' : undefined)
          }
          onClick={() => press(action)}
        >
          {words[action].button}
        </Button>
      ))}
      {isStopping && (
        <FormDialog
          title={`Stop "${flow.name}"?`}
          submit={`Stop the ${kind}`}
          danger
          {...(flow.waiting > 0 && { typed: flow.name.trim() })}
          isPending={act.isPending}
          refusal={act.isError && <Refusal error={act.error} />}
          onSubmit={() => act.mutate('stop')}
          onClose={() => setIsStopping(false)}
        >
          <p>
            {flow.waiting === 0
              ? 'Nobody is in it now.'
              : `In it now: ${formatCount(flow.waiting)}. Who is in it leaves, and gets nothing more of it.`}
          </p>
          <p>It cannot be resumed. To hold people where they stand, pause it instead.</p>
        </FormDialog>
      )}
      {!isStopping && act.isError && <Refusal error={act.error} />}
    </>
  )
}
