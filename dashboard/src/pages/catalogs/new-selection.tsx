import { useState } from 'react'
import { postAdminCatalogsIdSelections } from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './catalog-page.module.css'
import type { Field, FieldType } from './cell-value.ts'

/** The operators that a form offers for a type. The server decides which of them it takes. */
const operators: Readonly<Record<FieldType, readonly string[]>> = {
  string: ['equals', 'does not equal'],
  number: ['equals', 'does not equal', 'greater than', 'less than'],
  boolean: ['is'],
  time: ['before', 'after'],
  array: ['includes value', 'does not include value'],
  object: [],
  geo: [],
}

type Filter = { readonly key: number; readonly field: string; readonly operator: string; readonly value: string }

type Order = { readonly field: string; readonly direction: 'asc' | 'desc' }

const newFilter = (key: number): Filter => ({ key, field: 'id', operator: 'equals', value: '' })
const optionsOf = (words: readonly string[]) => words.map((word) => ({ value: word, label: word }))
const orders = [
  { value: 'asc', label: 'lowest first' },
  { value: 'desc', label: 'highest first' },
]

type NewSelectionProps = { id: string; fields: readonly Field[]; onClose: () => void }

/** Makes a selection: filters that an item must all match, how many items, and in which order. */
export function NewSelection({ id, fields, onClose }: NewSelectionProps) {
  const { workspace } = useViewer()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [count, setCount] = useState('50')
  const [order, setOrder] = useState<Order>({ field: '', direction: 'asc' })
  const [filters, setFilters] = useState<readonly Filter[]>([])
  const usable = fields.filter(({ type }) => operators[type].length > 0)
  const write = useWrite({
    request: () => {
      const selection = {
        name: name.trim(),
        description: description.trim(),
        filters: filters.map(({ field, operator, value }) => ({ field, operator, value })),
        results_limit: Number(count),
        ...(order.field !== '' && { sort_field: order.field, sort_order: order.direction }),
      }
      return postAdminCatalogsIdSelections(id, { selection }, { workspace: workspace.id })
    },
    said: () => `The selection ${name.trim()} was added.`,
    onDone: onClose,
  })
  const add = () => setFilters([...filters, newFilter((filters.at(-1)?.key ?? 0) + 1)])
  return (
    <FormDialog
      title="Add a selection"
      submit="Add"
      disabledReason={name.trim() === '' ? 'Give the selection a name first.' : undefined}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" value={name} spellCheck={false} onChange={setName} />
      <TextField label="Description" value={description} onChange={setDescription} />
      <fieldset className={styles.columns}>
        <legend>An item must match all of these</legend>
        {filters.map((filter) => (
          <FilterRow
            key={filter.key}
            filter={filter}
            fields={usable}
            onChange={(next) => setFilters(filters.map((each) => (each.key === next.key ? next : each)))}
            onRemove={() => setFilters(filters.filter(({ key }) => key !== filter.key))}
          />
        ))}
        <Button onClick={add}>Add a filter</Button>
      </fieldset>
      <div className={styles.row}>
        <TextField label="At most" inputMode="numeric" value={count} onChange={setCount} />
        <ChoiceField
          label="In the order of"
          value={order.field}
          options={[{ value: '', label: 'id' }, ...optionsOf(usable.map((field) => field.name))]}
          onChange={(field) => setOrder({ ...order, field })}
        />
        {order.field !== '' && (
          <ChoiceField
            label="Direction"
            value={order.direction}
            options={orders}
            onChange={(direction) => setOrder({ ...order, direction: direction as Order['direction'] })}
          />
        )}
      </div>
    </FormDialog>
  )
}

type FilterRowProps = {
  filter: Filter
  fields: readonly Field[]
  onChange: (filter: Filter) => void
  onRemove: () => void
}

function FilterRow({ filter, fields, onChange, onRemove }: FilterRowProps) {
  const offered = operators[fields.find(({ name }) => name === filter.field)?.type ?? 'string']
  const choose = (field: string) => {
    const [operator = 'equals'] = operators[fields.find(({ name }) => name === field)?.type ?? 'string']
    onChange({ ...filter, field, operator })
  }
  return (
    <div className={styles.row}>
      <ChoiceField
        label="Field"
        value={filter.field}
        options={optionsOf(fields.map(({ name }) => name))}
        onChange={choose}
      />
      <ChoiceField
        label="Comparison"
        value={filter.operator}
        options={optionsOf(offered)}
        onChange={(operator) => onChange({ ...filter, operator })}
      />
      <TextField label="Value" value={filter.value} onChange={(value) => onChange({ ...filter, value })} />
      <Button look="quiet" onClick={onRemove}>
        Remove the filter
      </Button>
    </div>
  )
}
