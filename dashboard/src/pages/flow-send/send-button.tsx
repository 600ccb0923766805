import { useState } from 'react'
import { useReason } from '../../frame/permit.ts'
import { Button } from '../../ui/button.tsx'
import type { Flow, FlowKind } from '../flows/flow-words.ts'
import { SendDialog } from './send-dialog.tsx'

const stateReasons: Readonly<Record<Exclude<Flow['state'], 'active'>, string>> = {
  draft: 'It is a draft. Publish it first.',
  paused: 'It is paused. Resume it first.',
  archived: 'It is archived.',
}

/** Opens the dialog that sends a flow. */
export function SendButton({ kind, flow }: { kind: FlowKind; flow: Flow }) {
  const [isOpen, setIsOpen] = useState(false)
  const permit = useReason(kind === 'canvas' ? 'canvases.launch' : 'campaigns.launch')
  const reason = permit ?? (flow.state === 'active' ? undefined : stateReasons[flow.state])
  return (
    <>
      <Button look="main" disabledReason={reason} onClick={() => setIsOpen(true)}>
        Send
      </Button>
      {isOpen && <SendDialog kind={kind} flow={flow} onClose={() => setIsOpen(false)} />}
    </>
  )
}
