import { useQuery } from '@tanstack/react-query'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { LoadingRows } from '../../ui/states.tsx'
import { displayName } from '../../words/people.ts'
import { type FlowRef, pathOfRun } from './flow-words.ts'
import { RunContent, runsOf } from './run-content.tsx'

type RunPanelProps = { flow: FlowRef; id: string; onClose: () => void }

/** How one person went through a flow, beside a list. */
export function RunPanel({ flow, id, onClose }: RunPanelProps) {
  const { workspace } = useViewer()
  const read = useQuery(reading(runsOf[flow.kind](flow.id, id, { workspace: workspace.id })))
  const person = read.data?.entry.person
  return (
    <SidePanel
      title={person ? displayName(person) : 'One run'}
      page={pathOfRun(flow, workspace.id, id)}
      onClose={onClose}
    >
      {read.isPending && <LoadingRows what="the run" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && <RunContent flow={flow} run={read.data} isSmall />}
    </SidePanel>
  )
}
