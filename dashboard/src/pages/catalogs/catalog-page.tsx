import { useQuery } from '@tanstack/react-query'
import { type GetAdminCatalogsIdReply, getAdminCatalogsId, getAdminHeadsCatalogs } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Card, Facts } from '../../ui/facts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import { formatBytes, formatCount } from '../../words/numbers.ts'

type Field = GetAdminCatalogsIdReply['catalog']['fields'][number]

/** One catalog: its fields, how large it is, and what uses it. */
export function CatalogPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Catalogs', one: 'catalog', path: paths.catalogs(workspace.id) }}
      operation={getAdminHeadsCatalogs({ workspace: workspace.id })}
      headsOf={({ catalogs }) => catalogs}
      sentence={({ items, fields }) => `Items: ${formatCount(items)}. Fields: ${formatCount(fields)}.`}
    >
      {(catalog) => (
        <>
          <Card title="What it is">
            <Facts
              facts={[
                ...(catalog.description === '' ? [] : [{ name: 'Description', value: catalog.description }]),
                { name: 'Items', value: formatCount(catalog.items) },
                { name: 'Size', value: formatBytes(catalog.bytes) },
                { name: 'Used by', value: <UsedBy users={catalog} /> },
                { name: 'Changed', value: <Moment at={catalog.updated_at} full /> },
              ]}
            />
          </Card>
          <Fields id={catalog.id} />
        </>
      )}
    </ThingPage>
  )
}

function Fields({ id }: { id: string }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminCatalogsId(id, { workspace: workspace.id })))
  if (read.data === undefined) return <NoAnswer read={read} what="the fields" />
  return (
    <Card title="Fields">
      <Table caption="Fields" columns={columns} rows={read.data.catalog.fields} keyOf={({ name }) => name} />
    </Card>
  )
}

const columns: readonly Column<Field>[] = [
  { head: 'Name', cell: ({ name }) => <code>{name}</code> },
  { head: 'Type', width: '40%', cell: ({ type }) => type },
]
