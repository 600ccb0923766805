import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { getAdminRequestsId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './api-log-page.module.css'
import { RequestContent } from './request-content.tsx'

/** One request with its answer. */
export function RequestPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminRequestsId(id, { workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const name = read.data ? `${read.data.request.method} ${read.data.request.path}` : 'Request'
  return (
    <>
      <title>{`${name} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={paths.apiLog(workspace.id)}>API log</Link>
      </p>
      <h1 className={styles.request}>{name}</h1>
      <div className={styles.page}>
        {read.isPending && <LoadingRows what="the request" />}
        {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && <RequestContent reply={read.data} />}
      </div>
    </>
  )
}
