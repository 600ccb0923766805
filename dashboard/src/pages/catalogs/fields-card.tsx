import { useState } from 'react'
import { deleteAdminCatalogsIdFieldsFieldName, patchAdminCatalogsId } from '../../api/generated.ts'
import { useReason } from '../../frame/permit.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/facts.tsx'
import { ChoiceField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { type Column, Table } from '../../ui/table.tsx'
import styles from './catalog-page.module.css'
import type { Field, FieldType } from './cell-value.ts'
import { typeOptions } from './field-types.ts'

type FieldsProps = { id: string; fields: readonly Field[] }

/** The fields of a catalog, which are added and removed here. */
export function FieldsCard({ id, fields }: FieldsProps) {
  const [isAdding, setIsAdding] = useState(false)
  const [removing, setRemoving] = useState<Field>()
  const mayEdit = useReason('catalogs.edit')
  const columns: readonly Column<Field>[] = [
    { head: 'Name', cell: ({ name }) => <code>{name}</code> },
    { head: 'Type', width: '30%', cell: ({ type }) => type },
    {
      head: 'Actions',
      width: '30%',
      cell: (field) => (
        <Button
          aria-label={`Remove the field ${field.name}`}
          disabledReason={field.name === 'id' ? 'Every catalog has the field id.' : mayEdit}
          onClick={() => setRemoving(field)}
        >
          Remove
        </Button>
      ),
    },
  ]
  return (
    <Card title="Fields">
      <Table caption="Fields" columns={columns} rows={fields} keyOf={({ name }) => name} />
      <div className={styles.bar}>
        <Button disabledReason={mayEdit} onClick={() => setIsAdding(true)}>
          Add a field
        </Button>
      </div>
      {isAdding && <AddField id={id} fields={fields} onClose={() => setIsAdding(false)} />}
      {removing && <RemoveField id={id} field={removing} onClose={() => setRemoving(undefined)} />}
    </Card>
  )
}

function AddField({ id, fields, onClose }: FieldsProps & { onClose: () => void }) {
  const { workspace } = useViewer()
  const [name, setName] = useState('')
  const [type, setType] = useState<FieldType>('string')
  const write = useWrite({
    request: () =>
      patchAdminCatalogsId(id, { fields: [...fields, { name: name.trim(), type }] }, { workspace: workspace.id }),
    said: () => `The field ${name.trim()} was added.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title="Add a field"
      submit="Add"
      disabledReason={reasonOf(name.trim(), fields)}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Letters, digits, hyphens and underscores. It cannot be changed later."
        value={name}
        spellCheck={false}
        onChange={setName}
      />
      <ChoiceField
        label="Type"
        value={type}
        options={typeOptions}
        onChange={(chosen) => setType(chosen as FieldType)}
      />
    </FormDialog>
  )
}

function reasonOf(name: string, fields: readonly Field[]): string | undefined {
  if (name === '') return 'Give the field a name first.'
  return fields.some((field) => field.name === name) ? 'The catalog has this field already.' : undefined
}

function RemoveField({ id, field, onClose }: { id: string; field: Field; onClose: () => void }) {
  const { workspace } = useViewer()
  const write = useWrite({
    request: () => deleteAdminCatalogsIdFieldsFieldName(id, field.name, { workspace: workspace.id }),
    said: () => `The field ${field.name} was removed.`,
    onDone: onClose,
  })
  return (
    <FormDialog
      title={`Remove the field ${field.name}`}
      submit="Remove"
      danger
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <p>The values that items have in this field are deleted. This cannot be undone.</p>
    </FormDialog>
  )
}
