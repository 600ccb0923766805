import { useQuery } from '@tanstack/react-query'
import { getAdminMessagesId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { MessageContent } from './message-content.tsx'

/** A message beside a list. */
export function MessagePanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminMessagesId(id, { workspace: workspace.id })))
  return (
    <SidePanel title={read.data?.message.subject || 'Message'} page={paths.message(workspace.id, id)} onClose={onClose}>
      {read.isPending && <LoadingRows what="the message" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && <MessageContent message={read.data.message} />}
    </SidePanel>
  )
}
