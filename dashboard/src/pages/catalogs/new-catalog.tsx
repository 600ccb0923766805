import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { postAdminCatalogs } from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { paths } from '../../paths.ts'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './catalog-page.module.css'
import type { Field, FieldType } from './cell-value.ts'
import { typeOptions } from './field-types.ts'

type Draft = Field & { readonly key: number }

/** Makes a catalog with some fields, or one that a CSV file fills. */
export function NewCatalog({ onClose }: { onClose: () => void }) {
  const { workspace } = useViewer()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const [description, setDescription] = useState('')
  const [isFromFile, setIsFromFile] = useState(false)
  const [drafts, setDrafts] = useState<readonly Draft[]>([{ key: 0, name: '', type: 'string' }])
  const write = useWrite({
    request: () => {
      const more = isFromFile ? [] : drafts.filter((draft) => draft.name.trim() !== '')
      const fields: Field[] = [{ name: 'id', type: 'string' }, ...more.map(fieldOf)]
      return postAdminCatalogs(
        { name: name.trim(), description: description.trim(), fields },
        { workspace: workspace.id },
      )
    },
    said: ({ catalog }) => `The catalog ${catalog.name} was made.`,
    onDone: ({ catalog }) =>
      void navigate({ to: paths.catalog(workspace.id, catalog.id!, isFromFile ? { import: 'csv' } : {}) }),
  })
  return (
    <FormDialog
      title="New catalog"
      submit={isFromFile ? 'Make it, then choose a file' : 'Make the catalog'}
      disabledReason={name.trim() === '' ? 'Give the catalog a name first.' : undefined}
      isPending={write.isPending}
      refusal={write.isError && <Refusal error={write.error} />}
      onSubmit={() => write.mutate(undefined)}
      onClose={onClose}
    >
      <TextField
        label="Name"
        hint="Letters, digits, hyphens and underscores. Templates use it, so it cannot be changed later."
        value={name}
        spellCheck={false}
        onChange={setName}
      />
      <TextField label="Description" value={description} onChange={setDescription} />
      <CheckField
        label="Fill it from a CSV file"
        hint="Its columns become the fields. The file is planned first, and imported when you say so."
        checked={isFromFile}
        onChange={setIsFromFile}
      />
      {!isFromFile && <Drafts drafts={drafts} onChange={setDrafts} />}
    </FormDialog>
  )
}

type DraftsProps = { drafts: readonly Draft[]; onChange: (drafts: readonly Draft[]) => void }

function Drafts({ drafts, onChange }: DraftsProps) {
  const change = (key: number, some: Partial<Field>) =>
    onChange(drafts.map((draft) => (draft.key === key ? { ...draft, ...some } : draft)))
  return (
    <fieldset className={styles.columns}>
      <legend>Fields besides id</legend>
      {drafts.map(({ key, name, type }, i) => (
        <div key={key} className={styles.row}>
          <TextField
            label={`Name of field ${i + 1}`}
            value={name}
            spellCheck={false}
            onChange={(next) => change(key, { name: next })}
          />
          <ChoiceField
            label={`Type of field ${i + 1}`}
            value={type}
            options={typeOptions}
            onChange={(next) => change(key, { type: next as FieldType })}
          />
        </div>
      ))}
      <Button onClick={() => onChange([...drafts, { key: drafts.length, name: '', type: 'string' }])}>
        Add a field
      </Button>
    </fieldset>
  )
}

function fieldOf({ name, type }: Draft): Field {
  return { name: name.trim(), type }
}
