import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { getAdminCatalogsIdItems, patchAdminCatalogsIdItems } from '../../api/generated.ts'
import { readingTagged } from '../../api/queries.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { usePageSearch } from '../../frame/search.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useTypedText } from '../../frame/typed-text.ts'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/facts.tsx'
import { SearchField } from '../../ui/field.tsx'
import { TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Empty } from '../../ui/states.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { formatCount } from '../../words/numbers.ts'
import styles from './catalog-page.module.css'
import type { CatalogItem, Field } from './cell-value.ts'
import { ItemsGrid } from './items-grid.tsx'

type ItemSearch = { readonly prefix?: string; readonly cursor?: string; readonly import?: string }

/** The items of a catalog, fifty a page, found by the beginning of their ids and edited in their cells. */
export function ItemsCard({ id, fields }: { id: string; fields: readonly Field[] }) {
  const { workspace } = useViewer()
  const [{ prefix, cursor }, change] = usePageSearch<ItemSearch>()
  const [isAdding, setIsAdding] = useState(false)
  const [deleting, setDeleting] = useState<CatalogItem>()
  const operation = getAdminCatalogsIdItems(id, { workspace: workspace.id, prefix, cursor })
  const read = useQuery({ ...readingTagged(operation, parseExactly), placeholderData: keepPreviousData })
  const reply = read.data?.reply
  const find = (next: string | undefined) => change({ prefix: next, cursor: undefined } as object)
  const mayEdit = useReason('catalogs.edit')
  const add = (
    <Button look="main" disabledReason={mayEdit} onClick={() => setIsAdding(true)}>
      New item
    </Button>
  )
  return (
    <Card title="Items">
      <div className={styles.bar}>
        <FindById prefix={prefix} onFind={find} />
        {add}
        {reply && <p>{formatCount(reply.num_items)} in all, by id</p>}
      </div>
      {reply === undefined ? (
        <NoAnswer read={read} what="the items" />
      ) : reply.items.length === 0 ? (
        <NoItems
          prefix={prefix}
          onDrop={() => find(undefined)}
          onImport={() => change({ import: 'csv' })}
          mayEdit={mayEdit}
        />
      ) : (
        <ItemsGrid
          catalog={id}
          fields={fields}
          items={reply.items}
          dimmed={read.isPlaceholderData}
          mayEdit={mayEdit}
          onDelete={setDeleting}
        />
      )}
      <div className={styles.pages}>
        {cursor !== undefined && <Button onClick={() => change({ cursor: undefined } as object)}>First page</Button>}
        {reply?.cursor && <Button onClick={() => change({ cursor: reply.cursor! })}>Next page</Button>}
      </div>
      {isAdding && <NewItem catalog={id} onClose={() => setIsAdding(false)} onMade={find} />}
      {deleting && <DeleteItem catalog={id} item={deleting} onClose={() => setDeleting(undefined)} />}
    </Card>
  )
}

function FindById({
  prefix = '',
  onFind,
}: {
  prefix?: string | undefined
  onFind: (prefix: string | undefined) => void
}) {
  const typed = useTypedText(prefix, onFind)
  return (
    <SearchField
      label="Beginning of the id"
      placeholder="Beginning of the id"
      className={styles.search ?? ''}
      {...typed}
    />
  )
}

type NoItemsProps = {
  prefix: string | undefined
  mayEdit: string | undefined
  onDrop: () => void
  onImport: () => void
}

function NoItems({ prefix, mayEdit, onDrop, onImport }: NoItemsProps) {
  if (prefix !== undefined) {
    return (
      <Empty title={`No id begins with "${prefix}"`} actions={<Button onClick={onDrop}>Show all</Button>}>
        Capital and small letters are different.
      </Empty>
    )
  }
  return (
    <Empty
      title="There are no items"
      actions={
        <Button disabledReason={mayEdit} onClick={onImport}>
          Import a CSV file
        </Button>
      }
    >
      An item is a row of the table, such as a product. Your systems send items, a CSV file brings them, or you add them
      here.
    </Empty>
  )
}

type NewItemProps = { catalog: string; onMade: (id: string) => void; onClose: () => void }

/** Makes an item of an id. Its values are then typed into its cells. */
function NewItem({ catalog, onMade, onClose }: NewItemProps) {
  const { workspace } = useViewer()
  const [id, setId] = useState('')
  const write = useWrite({
    request: () =>
      patchAdminCatalogsIdItems(catalog, { items: [{ id: id.trim(), action: 'create' }] }, { workspace: workspace.id }),
    said: () => `The item ${id.trim()} was added. Type its values into its cells.`,
    onDone: () => {
      onMade(id.trim())
      onClose()
    },
  })
  return (
    <FormDialog
      title="New item"
      submit="Add"
      disabledReason={id.trim() === '' ? 'Give the item an id first.' : undefined}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Id"
        hint="Letters, digits, hyphens and underscores. It cannot be changed later."
        value={id}
        spellCheck={false}
        onChange={setId}
      />
    </FormDialog>
  )
}

type DeleteItemProps = { catalog: string; item: CatalogItem; onClose: () => void }

function DeleteItem({ catalog, item: { id, tag }, onClose }: DeleteItemProps) {
  const { workspace } = useViewer()
  const write = useWrite({
    request: () =>
      patchAdminCatalogsIdItems(catalog, { items: [{ id, action: 'delete', tag }] }, { workspace: workspace.id }),
    said: () => `The item ${id} was deleted.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Delete the item ${id}`}
      submit="Delete"
      danger
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <p>Its values are deleted. This cannot be undone.</p>
    </FormDialog>
  )
}
