import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { type FlowRef, pathOfFlow } from './flow-words.ts'
import { PeopleAtStep } from './people-at-step.tsx'
import styles from './run-page.module.css'

type StepPanelProps = { flow: FlowRef; step: string; name: string; onClose: () => void }

/** Who is at a step now, beside the steps. */
export function StepPanel({ flow, step, name, onClose }: StepPanelProps) {
  const { workspace } = useViewer()
  const page = `${pathOfFlow(flow.kind, workspace.id, flow.id)}?${new URLSearchParams({ tab: 'people', step, state: 'open' })}`
  return (
    <SidePanel title={`At "${name}" now`} page={page} onClose={onClose}>
      <div className={styles.sheet}>
        <PeopleAtStep flow={flow} step={step} />
      </div>
    </SidePanel>
  )
}
