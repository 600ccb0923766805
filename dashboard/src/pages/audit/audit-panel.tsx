import { useQuery } from '@tanstack/react-query'
import { getAdminAuditId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { SidePanel } from '../../frame/panel.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import { AuditContent } from './audit-content.tsx'

/** One audit row beside the list. */
export function AuditPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminAuditId(id)))
  return (
    <SidePanel title={read.data?.entry.action ?? 'Audit'} page={paths.auditEntry(workspace.id, id)} onClose={onClose}>
      {read.isPending && <LoadingRows what="the row" />}
      {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
      {read.data && <AuditContent entry={read.data.entry} />}
    </SidePanel>
  )
}
