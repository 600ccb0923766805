import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Operation } from '../api/operation.ts'
import { polling } from '../api/queries.ts'
import { buttonClass } from '../ui/button.tsx'
import { CopyButton } from '../ui/copy.tsx'
import { Empty, LoadingRows } from '../ui/states.tsx'
import { Failure } from './failure.tsx'
import { useFeed } from './feed.ts'
import type { Head } from './head-list.tsx'
import styles from './thing-page.module.css'

const everyMs = 10_000

type ThingPageProps<Reply, Row extends Head> = {
  /** The title of the list, the word for one, and the path of the list. */
  list: { readonly title: string; readonly one: string; readonly path: string }
  operation: Operation<Reply>
  headsOf: (reply: Reply) => readonly Row[]
  /** One sentence about the thing. */
  sentence: (head: Row) => ReactNode
  /** Buttons beside the title. */
  actions?: (head: Row) => ReactNode
  children: (head: Row) => ReactNode
}

/** The page of one thing, found by its id in the list of all things of its kind. */
export function ThingPage<Reply, Row extends Head>(props: ThingPageProps<Reply, Row>) {
  const { list, operation, headsOf, sentence, actions, children } = props
  const { id } = useParams({ strict: false }) as { id: string }
  const read = useQuery(polling(operation, everyMs))
  useFeed(operation)
  if (read.data === undefined) return <NoAnswer read={read} what={`the ${list.one}`} />
  const head = headsOf(read.data).find((each) => each.id === id)
  if (!head) return <Unknown list={list} />
  return (
    <>
      <title>{`${head.name} - Easel`}</title>
      <p className={styles.crumb}>
        <Link to={list.path}>{list.title}</Link>
      </p>
      <div className={styles.head}>
        <h1 dir="auto">{head.name}</h1>
        <span className={styles.id} title={`Id of the ${list.one}`}>
          {head.id}
          <CopyButton text={head.id} label={`Copy the id of the ${list.one}`} />
        </span>
        {actions && (
          <div className={styles.actions} key={head.id}>
            {actions(head)}
          </div>
        )}
      </div>
      <p className={styles.sentence}>{sentence(head)}</p>
      <div className={styles.parts} key={head.id}>
        {children(head)}
      </div>
    </>
  )
}

/** What is shown while something is read, and when it cannot be. */
export function NoAnswer({ read, what }: { read: UseQueryResult<unknown>; what: string }) {
  if (read.isPending) return <LoadingRows what={what} />
  return <Failure error={read.error} onRetry={() => void read.refetch()} />
}

function Unknown({ list: { title, one, path } }: Pick<ThingPageProps<unknown, Head>, 'list'>) {
  return (
    <Empty
      title={`There is no such ${one}`}
      actions={
        <Link to={path} className={buttonClass('main')}>
          {title}
        </Link>
      }
    >
      It belongs to another workspace, was deleted, or the link is not complete.
    </Empty>
  )
}
