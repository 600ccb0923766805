import { useQuery } from '@tanstack/react-query'
import { getAdminRequestsId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { RequestContent } from './request-content.tsx'

/** One request beside the log. */
export function RequestPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminRequestsId(id, { workspace: workspace.id })))
  const title = read.data ? `${read.data.request.method} ${read.data.request.path}` : 'Request'
  return (
    <SidePanel title={title} page={paths.apiRequest(workspace.id, id)} onClose={onClose}>
      {read.isPending && <LoadingRows what="the request" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && <RequestContent reply={read.data} />}
    </SidePanel>
  )
}
