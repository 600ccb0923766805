import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Operation } from '../api/operation.ts'
import { reading } from '../api/queries.ts'
import { Button } from '../ui/button.tsx'
import { Empty } from '../ui/states.tsx'
import { type Column, Table } from '../ui/table.tsx'
import { useFeed } from './feed.ts'
import { Filters, TextFilter } from './filters.tsx'
import styles from './head-list.module.css'
import { ListPage } from './list-page.tsx'
import { usePageSearch } from './search.ts'

/** A thing in a list of all things of its kind. */
export type Head = { readonly id: string; readonly name: string; readonly tags?: readonly string[] }

type HeadListProps<Reply, Row extends Head> = {
  title: string
  /** The plural, as it stands in a sentence. */
  what: string
  operation: Operation<Reply>
  headsOf: (reply: Reply) => readonly Row[]
  sentence: ReactNode
  /** Beside the title, such as a button for a new thing. */
  actions?: ReactNode
  empty: ReactNode
  columns: readonly Column<Row>[]
  /** The page of a thing; absent for things without one. */
  pathOf?: (id: string, row: Row) => string
}

/** A page with all things of a kind, found by a part of their names, ids or tags. */
export function HeadList<Reply, Row extends Head>(props: HeadListProps<Reply, Row>) {
  const { title, what, operation, headsOf, sentence, actions, empty, columns, pathOf } = props
  const [{ q }, change] = usePageSearch<{ q?: string }>()
  const navigate = useNavigate()
  const read = useQuery({ ...reading(operation), placeholderData: keepPreviousData })
  useFeed(operation)
  const showAll = () => change({ q: undefined } as object)
  return (
    <ListPage
      title={title}
      what={what}
      query={read}
      {...(actions !== undefined && { head: actions })}
      filters={
        <Filters isFiltered={q !== undefined} onDrop={showAll}>
          <TextFilter label="Name" value={q} onChange={(next) => change({ q: next } as object)} />
        </Filters>
      }
      sentence={sentence}
      isEmpty={(reply) => headsOf(reply).length === 0}
      empty={empty}
    >
      {(reply) => {
        const rows = headsOf(reply).filter((head) => matches(head, q))
        if (rows.length === 0) {
          return (
            <Empty
              title={`No ${what} have "${q}" in their name`}
              actions={<Button onClick={showAll}>{`Show all ${what}`}</Button>}
            />
          )
        }
        return (
          <Table
            caption={title}
            columns={columns}
            rows={rows}
            keyOf={({ id }) => id}
            {...(pathOf && { onChoose: (row: Row) => void navigate({ to: pathOf(row.id, row) }) })}
          />
        )
      }}
    </ListPage>
  )
}

function matches({ id, name, tags = [] }: Head, q: string | undefined): boolean {
  if (q === undefined) return true
  const part = q.toLowerCase()
  return [id, name, ...tags].some((text) => text.toLowerCase().includes(part))
}

/** The first cell of a row: the name, which leads to the page of the thing, and a line below it. */
export function NameCell({ name, to, more }: { name: string; to?: string | undefined; more?: string | undefined }) {
  return (
    <span dir="auto" className={styles.name}>
      {to === undefined ? name : <Link to={to}>{name}</Link>}
      {more && <span className={styles.more}>{more}</span>}
    </span>
  )
}
