import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  deleteAdminCatalogsIdSelectionsSelectionName,
  type GetAdminCatalogsIdSelectionsReply,
  getAdminCatalogsIdSelections,
  postAdminCatalogsIdSelections,
} from '../../api/generated.ts'
import { reading } from '../../api/queries.ts'
import { NameCell } from '../../frame/head-list.tsx'
import { useReason } from '../../frame/permit.ts'
import { NoAnswer } from '../../frame/thing-page.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Card, Note } from '../../ui/facts.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './catalog-page.module.css'
import { type Field, textOfValue } from './cell-value.ts'
import { NewSelection } from './new-selection.tsx'

type Selection = GetAdminCatalogsIdSelectionsReply['selections'][number]

/** The selections of a catalog: stored queries that templates use. */
export function SelectionsCard({ id, fields }: { id: string; fields: readonly Field[] }) {
  const { workspace } = useViewer()
  const query = { workspace: workspace.id }
  const [isAdding, setIsAdding] = useState(false)
  const read = useQuery(reading(getAdminCatalogsIdSelections(id, query)))
  const mayEdit = useReason('catalogs.edit')
  const remove = useWrite({
    request: ({ name }: Selection) => deleteAdminCatalogsIdSelectionsSelectionName(id, name, query),
    said: (_reply, { name }) => `The selection ${name} was removed.`,
    undo: (_reply, selection) => postAdminCatalogsIdSelections(id, { selection: givenBack(selection) }, query),
  })
  const columns: readonly Column<Selection>[] = [
    { head: 'Name', wraps: true, cell: ({ name, description }) => <NameCell name={name} more={description} /> },
    { head: 'Items that', width: '44%', wraps: true, cell: (selection) => sentenceOf(selection) },
    {
      head: 'Actions',
      width: '26%',
      cell: (selection) => (
        <Button
          aria-label={`Remove the selection ${selection.name}`}
          disabledReason={remove.isPending ? 'The request is on its way.' : mayEdit}
          onClick={() => remove.mutate(selection)}
        >
          Remove
        </Button>
      ),
    },
  ]
  return (
    <Card title="Selections">
      {read.data === undefined ? (
        <NoAnswer read={read} what="the selections" />
      ) : read.data.selections.length === 0 ? (
        <Note>There are none. A selection is a stored query: a template shows the items that it finds.</Note>
      ) : (
        <Table caption="Selections" columns={columns} rows={read.data.selections} keyOf={({ name }) => name} />
      )}
      <div className={styles.bar}>
        <Button disabledReason={mayEdit} onClick={() => setIsAdding(true)}>
          Add a selection
        </Button>
      </div>
      {isAdding && <NewSelection id={id} fields={fields} onClose={() => setIsAdding(false)} />}
    </Card>
  )
}

/** Without an order, the members for it are left out, as in a request. */
function givenBack({ sort_field, sort_order, ...rest }: Selection) {
  return sort_field === null || sort_order === null ? rest : { ...rest, sort_field, sort_order }
}

function sentenceOf({ filters, results_limit, sort_field, sort_order }: Selection): string {
  const conditions = filters.map(({ field, operator, value }) => `${field} ${operator} ${textOfValue(value)}`)
  const order = sort_field === null ? 'id' : `${sort_field}${sort_order === 'desc' ? ', highest first' : ''}`
  return `${conditions.length === 0 ? 'all items' : conditions.join(' and ')}; the first ${results_limit} by ${order}`
}
