import { type GetAdminHeadsContentBlocksReply, getAdminHeadsContentBlocks } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'

type Block = GetAdminHeadsContentBlocksReply['content_blocks'][number]

/** All texts that templates include. */
export function BlocksPage() {
  const { workspace } = useViewer()
  const pathOf = (id: string) => paths.block(workspace.id, id)
  return (
    <HeadList
      title="Blocks"
      what="blocks"
      operation={getAdminHeadsContentBlocks({ workspace: workspace.id })}
      headsOf={({ content_blocks }) => content_blocks}
      pathOf={pathOf}
      sentence="Texts that templates and messages include by their names."
      columns={columnsOf(pathOf)}
      empty={
        <Empty title="There are no blocks">
          A block is a text that many templates include, such as a footer. Systems make them with{' '}
          <code>/content_blocks/create</code>; the workspace file can have them too.
        </Empty>
      }
    />
  )
}

function columnsOf(pathOf: (id: string) => string): Column<Block>[] {
  return [
    {
      head: 'Name',
      width: '28%',
      cell: ({ id, name, description }) => <NameCell name={name} to={pathOf(id)} more={description} />,
    },
    { head: 'Begins with', width: '36%', cell: ({ first_line }) => <code dir="auto">{first_line}</code> },
    { head: 'Used by', width: '24%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
    {
      head: 'Changed',
      width: '12%',
      align: 'end',
      wideOnly: true,
      cell: ({ updated_at }) => <Moment at={updated_at} />,
    },
  ]
}
