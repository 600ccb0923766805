import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type GetAdminHeadsCatalogsReply, getAdminCatalogsId, getAdminHeadsCatalogs } from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { usePageSearch } from '../../frame/search.ts'
import { NoAnswer, ThingPage } from '../../frame/thing-page.tsx'
import { UsedBy } from '../../frame/used-by.tsx'
import { Moment, useViewer } from '../../frame/viewer.tsx'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Facts } from '../../ui/facts.tsx'
import { formatBytes, formatCount } from '../../words/numbers.ts'
import styles from './catalog-page.module.css'
import { DeleteCatalog } from './delete-catalog.tsx'
import { FieldsCard } from './fields-card.tsx'
import { ImportDialog } from './import-dialog.tsx'
import { ItemsCard } from './items-card.tsx'
import { SelectionsCard } from './selections-card.tsx'

type Catalog = GetAdminHeadsCatalogsReply['catalogs'][number]

/** One catalog: its items to edit, its fields and selections, how large it is, and what uses it. */
export function CatalogPage() {
  const { workspace } = useViewer()
  return (
    <ThingPage
      list={{ title: 'Catalogs', one: 'catalog', path: paths.catalogs(workspace.id) }}
      operation={getAdminHeadsCatalogs({ workspace: workspace.id })}
      headsOf={({ catalogs }) => catalogs}
      sentence={({ items, fields }) => `Items: ${formatCount(items)}. Fields: ${formatCount(fields)}.`}
      actions={(catalog) => <Actions catalog={catalog} />}
    >
      {(catalog) => <Parts catalog={catalog} />}
    </ThingPage>
  )
}

function Actions({ catalog }: { catalog: Catalog }) {
  const [{ import: asked }, change] = usePageSearch<{ import?: string }>()
  const [isDeleting, setIsDeleting] = useState(false)
  const mayEdit = useReason('catalogs.edit')
  return (
    <>
      <Button disabledReason={mayEdit} onClick={() => change({ import: 'csv' })}>
        Import a CSV file
      </Button>
      <Button look="danger" disabledReason={useReason('catalogs.end')} onClick={() => setIsDeleting(true)}>
        Delete
      </Button>
      {asked === 'csv' && mayEdit === undefined && (
        <ImportDialog catalog={catalog} onClose={() => change({ import: undefined } as object, { replace: true })} />
      )}
      {isDeleting && <DeleteCatalog catalog={catalog} onClose={() => setIsDeleting(false)} />}
    </>
  )
}

function Parts({ catalog }: { catalog: Catalog }) {
  const { workspace } = useViewer()
  const read = useQuery(reading(getAdminCatalogsId(catalog.id, { workspace: workspace.id })))
  return (
    <>
      <div className={styles.wide}>
        {read.data === undefined ? (
          <NoAnswer read={read} what="the fields" />
        ) : (
          <ItemsCard id={catalog.id} fields={read.data.catalog.fields} />
        )}
      </div>
      {read.data && <FieldsCard id={catalog.id} fields={read.data.catalog.fields} />}
      {read.data && <SelectionsCard id={catalog.id} fields={read.data.catalog.fields} />}
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
    </>
  )
}
