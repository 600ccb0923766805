import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { getAdminAuditId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './audit.module.css'
import { AuditContent } from './audit-content.tsx'

/** One audit row. */
export function AuditEntryPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminAuditId(id)
  const read = useQuery(reading(operation))
  useFeed(operation)
  const name = read.data?.entry.action ?? 'Audit row'
  return (
    <>
      <title>{`${name} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={paths.audit(workspace.id)}>Audit</Link>
      </p>
      <h1>{name}</h1>
      <div className={styles.page}>
        {read.isPending && <LoadingRows what="the row" />}
        {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && <AuditContent entry={read.data.entry} />}
      </div>
    </>
  )
}
