import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { root } from '../../api/call.ts'
import { CallError } from '../../api/errors.ts'
import { getAdminMessagesId } from '../../api/generated.ts'
import { curlOf } from '../../api/operation.ts'
import { reading } from '../../api/queries.ts'
import { Failure } from '../../frame/failure.tsx'
import { useFeed } from '../../frame/feed.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Empty, LoadingRows } from '../../ui/states.tsx'
import styles from './message.module.css'
import { MessageContent } from './message-content.tsx'

/** One message: what became of it and why, its opens and clicks, and the message itself. */
export function MessagePage() {
  const { workspace } = useViewer()
  const { id } = useParams({ strict: false }) as { id: string }
  const operation = getAdminMessagesId(id, { workspace: workspace.id })
  const read = useQuery(reading(operation))
  useFeed(operation)
  const isUnknown = read.error instanceof CallError && read.error.status === 404
  const subject = read.data?.message.subject || 'Message'
  return (
    <>
      <title>{`${subject} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={paths.messages(workspace.id)}>Messages</Link>
      </p>
      <div className={styles.head}>
        <h1 dir="auto" title={subject}>
          {subject}
        </h1>
        <span className={styles.curl}>
          <CopyButton
            text={curlOf(operation, location.origin + root.replace(/\/$/, ''))}
            label="Copy the request of this page as curl (.)"
          >
            curl
          </CopyButton>
        </span>
      </div>
      <div className={styles.page}>
        {read.isPending && <LoadingRows what="the message" />}
        {isUnknown && (
          <Empty title="There is no such message">
            Messages are deleted with their people, and by age.{' '}
            <Link to={paths.messages(workspace.id)}>Look at all messages</Link>
          </Empty>
        )}
        {read.isError && !isUnknown && <Failure error={read.error} onRetry={() => void read.refetch()} />}
        {read.data && <MessageContent message={read.data.message} />}
      </div>
    </>
  )
}
