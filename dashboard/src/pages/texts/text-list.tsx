import type { ReactNode } from 'react'
import type { Operation } from '../../api/operation.ts'
import { type Head, HeadList, NameCell } from '../../frame/head-list.tsx'
import { UsedBy, type Users } from '../../frame/used-by.tsx'
import { Moment } from '../../frame/viewer.tsx'
import { Empty } from '../../ui/states.tsx'
import { NewText, type NewTextProps } from './new-text.tsx'

export type TextHead = Head & Users & { readonly description: string; readonly updated_at: string }

type TextListProps<Reply, Row extends TextHead> = Omit<NewTextProps, 'pathOf'> & {
  title: string
  what: string
  operation: Operation<Reply>
  headsOf: (reply: Reply) => readonly Row[]
  pathOf: (id: string) => string
  sentence: string
  /** The column between the name and the users. */
  column: { readonly head: string; readonly cell: (row: Row) => ReactNode }
  /** What is said while there are none. */
  empty: ReactNode
}

/** A list of texts: templates or blocks. */
export function TextList<Reply, Row extends TextHead>(props: TextListProps<Reply, Row>) {
  const { title, what, operation, headsOf, pathOf, sentence, column, empty, ...making } = props
  const button = <NewText {...making} pathOf={pathOf} />
  return (
    <HeadList
      {...{ title, what, operation, headsOf, pathOf, sentence }}
      actions={button}
      columns={[
        {
          head: 'Name',
          width: '28%',
          cell: ({ id, name, description }) => <NameCell name={name} to={pathOf(id)} more={description} />,
        },
        { ...column, width: '36%', wraps: true },
        { head: 'Used by', width: '24%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
        {
          head: 'Changed',
          width: '12%',
          align: 'end',
          wideOnly: true,
          cell: ({ updated_at }) => <Moment at={updated_at} />,
        },
      ]}
      empty={<Empty title={`There are no ${what}`}>{empty}</Empty>}
    />
  )
}
