import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { getAdminInboxId } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { LoadingRows } from '../../ui/states.tsx'
import styles from './mail.module.css'
import { MailContent } from './mail-content.tsx'

/** One message of the inbox. */
export function MailPage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminInboxId(id, { workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const subject = read.data?.subject || 'Message'
  return (
    <>
      <title>{`${subject} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={paths.inbox(workspace.id)}>Inbox</Link>
      </p>
      <h1 dir="auto">{subject}</h1>
      <div className={styles.page}>
        {read.isPending && <LoadingRows what="the message" />}
        {read.isError && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && <MailContent mail={read.data} />}
      </div>
    </>
  )
}
