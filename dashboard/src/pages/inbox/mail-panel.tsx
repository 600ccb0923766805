import { useQuery } from '@tanstack/react-query'
import { getAdminInboxId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { MailContent } from './mail-content.tsx'

/** One message beside the inbox. */
export function MailPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminInboxId(id, { workspace: workspace.id })))
  return (
    <SidePanel title={read.data?.subject || 'Message'} page={paths.mail(workspace.id, id)} onClose={onClose}>
      {read.isPending && <LoadingRows what="the message" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && <MailContent mail={read.data} />}
    </SidePanel>
  )
}
