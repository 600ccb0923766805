import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { LoadingRows } from '../ui/states.tsx'
import { Failure } from './failure.tsx'
import styles from './list-page.module.css'
import { useViewer } from './viewer.tsx'

type ListPageProps<Reply> = {
  title: string
  /** The plural of what is listed, for screen readers. */
  what: string
  query: UseQueryResult<Reply>
  /** Beside the title: a search field, buttons. */
  head?: ReactNode
  /** Below the title: `Filters`. */
  filters?: ReactNode
  /** One sentence about what is listed. */
  sentence?: ReactNode
  /** What is shown instead of an empty list. */
  empty: ReactNode
  isEmpty: (reply: Reply) => boolean
  /** Below the list: buttons to its other pages. */
  pages?: ReactNode
  /** The open side panel. */
  panel?: ReactNode
  /** The table. */
  children: (reply: Reply) => ReactNode
}

/** A page with a list: its head, filters, rows and the states of loading, failing and being empty. */
export function ListPage<Reply>(props: ListPageProps<Reply>) {
  const { title, what, query, head, filters, sentence, empty, isEmpty, pages, panel, children } = props
  const { zone, zoneLabel } = useViewer()
  const { data } = query
  return (
    <>
      <title>{`${title} - Easel`}</title>
      <div className={styles.head}>
        <h1>{title}</h1>
        {head}
      </div>
      {filters}
      <div className={styles.sentence}>
        <span>{data === undefined ? '' : sentence}</span>
        <span title={zone}>Times: {zoneLabel}</span>
      </div>
      <div className={styles.sheet}>
        {query.isPending && <LoadingRows what={what} />}
        {query.isError && data === undefined && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {data !== undefined && (isEmpty(data) ? empty : children(data))}
      </div>
      {query.isError && data !== undefined && <StaleNote onRetry={() => void query.refetch()} error={query.error} />}
      <div className={styles.pages}>{pages}</div>
      {panel}
    </>
  )
}

function StaleNote({ error, onRetry }: { error: Error; onRetry: () => void }) {
  return (
    <div className={styles.stale} role="alert">
      These are older rows, because the last request failed: {error.message}{' '}
      <button type="button" className={styles.again} onClick={onRetry}>
        Try again
      </button>
    </div>
  )
}
