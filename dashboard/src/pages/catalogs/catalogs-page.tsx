import { useState } from 'react'
import { type GetAdminHeadsCatalogsReply, getAdminHeadsCatalogs } from '../../api/generated.ts'
import { HeadList, NameCell } from '../../frame/head-list.tsx'
import { useReason } from '../../frame/permit.ts'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/states.tsx'
import type { Column } from '../../ui/table.tsx'
import { formatBytes, formatCount } from '../../words/numbers.ts'
import { NewCatalog } from './new-catalog.tsx'

type Catalog = GetAdminHeadsCatalogsReply['catalogs'][number]

/** All tables that templates look things up in. */
export function CatalogsPage() {
  const { workspace } = useViewer()
  const [isMaking, setIsMaking] = useState(false)
  const pathOf = (id: string) => paths.catalog(workspace.id, id)
  const make = (
    <Button look="main" disabledReason={useReason('catalogs.edit')} onClick={() => setIsMaking(true)}>
      New catalog
    </Button>
  )
  return (
    <>
      <HeadList
        title="Catalogs"
        what="catalogs"
        operation={getAdminHeadsCatalogs({ workspace: workspace.id })}
        headsOf={({ catalogs }) => catalogs}
        pathOf={pathOf}
        sentence="Tables, such as products, in which templates look things up."
        actions={make}
        columns={columnsOf(pathOf)}
        empty={
          <Empty title="There are no catalogs" actions={make}>
            A catalog is a table, such as products, in which templates look things up. Make one here or from a CSV file.
            Your systems make one with <code>POST /catalogs</code>, and <code>easel catalog</code> sends a file.
          </Empty>
        }
      />
      {isMaking && <NewCatalog onClose={() => setIsMaking(false)} />}
    </>
  )
}

function columnsOf(pathOf: (id: string) => string): Column<Catalog>[] {
  return [
    {
      head: 'Name',
      width: '34%',
      cell: ({ id, name, description }) => <NameCell name={name} to={pathOf(id)} more={description} />,
    },
    { head: 'Items', width: '12%', align: 'end', cell: ({ items }) => formatCount(items) },
    { head: 'Size', width: '10%', align: 'end', wideOnly: true, cell: ({ bytes }) => formatBytes(bytes) },
    { head: 'Fields', width: '10%', align: 'end', cell: ({ fields }) => formatCount(fields) },
    { head: 'Used by', width: '22%', wideOnly: true, cell: (users) => <UsedBy users={users} /> },
    {
      head: 'Changed',
      width: '12%',
      align: 'end',
      wideOnly: true,
      cell: ({ updated_at }) => <Moment at={updated_at} />,
    },
  ]
}
