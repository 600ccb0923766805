import { useState } from 'react'
import { type PostAdminSegmentsIdExportBody, postAdminSegmentsIdExport } from '../../api/generated.ts'
import { Refusal } from '../../frame/refusal.tsx'
import { useViewer } from '../../frame/viewer.tsx'
import { useWrite } from '../../frame/write.ts'
import { CheckField, ChoiceField, TextField } from '../../ui/form.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import styles from './cards.module.css'

type Body = PostAdminSegmentsIdExportBody
type Format = NonNullable<Body['output_format']>

const formats: readonly { readonly value: Format; readonly label: string }[] = [
  { value: 'zip', label: 'zip: files of 5,000 people' },
  { value: 'gzip', label: 'gzip: one file' },
]

/** The fields that come first and are ticked: who a person is, and how to reach them. */
const usual = ['external_id', 'first_name', 'last_name', 'email']
const allAttributes = 'custom_attributes'

type ExportDialogProps = {
  id: string
  name: string
  /** The fields that the server can export. */
  fields: readonly string[]
  onClose: () => void
}

/** Asks what the file is to have. */
export function ExportDialog({ id, name, fields, onClose }: ExportDialogProps) {
  const { workspace } = useViewer()
  const known = usual.filter((field) => fields.includes(field))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(known))
  const [attributes, setAttributes] = useState('')
  const [format, setFormat] = useState<string>('zip')
  const ask = useWrite({
    request: (body: Body) => postAdminSegmentsIdExport(id, body, { workspace: workspace.id }),
    said: () => 'The export is accepted. Its progress stands on the page of the segment.',
    onDone: onClose,
  })
  const named = attributes.split(',').flatMap((each) => (each.trim() === '' ? [] : [each.trim()]))
  const submit = () =>
    ask.mutate({
      fields_to_export: fields.filter((field) => chosen.has(field)) as Body['fields_to_export'],
      ...(named.length > 0 && !chosen.has(allAttributes) && { custom_attributes_to_export: named }),
      output_format: format as Format,
    })
  return (
    <FormDialog
      title={`Export the people of "${name}"`}
      submit="Export"
      disabledReason={chosen.size === 0 ? 'Choose a field first.' : undefined}
      isPending={ask.isPending}
      refusal={ask.isError && <Refusal error={ask.error} />}
      onSubmit={submit}
      onClose={onClose}
    >
      <FieldChoices
        fields={[...known, ...fields.filter((field) => !known.includes(field))]}
        chosen={chosen}
        onChoose={setChosen}
      />
      {!chosen.has(allAttributes) && (
        <TextField
          label="Custom attributes"
          hint="Their names, with commas between them. To export all, tick custom_attributes."
          spellCheck={false}
          value={attributes}
          onChange={setAttributes}
        />
      )}
      <ChoiceField
        label="Format"
        hint="Each line of a file is a person as JSON."
        value={format}
        options={formats}
        onChange={setFormat}
      />
    </FormDialog>
  )
}

type FieldChoicesProps = {
  fields: readonly string[]
  chosen: ReadonlySet<string>
  onChoose: (chosen: ReadonlySet<string>) => void
}

function FieldChoices({ fields, chosen, onChoose }: FieldChoicesProps) {
  const set = (field: string, isChosen: boolean) =>
    onChoose(new Set(isChosen ? [...chosen, field] : [...chosen].filter((each) => each !== field)))
  return (
    <fieldset className={styles.fields}>
      <legend>Fields</legend>
      {fields.map((field) => (
        <CheckField
          key={field}
          label={field}
          checked={chosen.has(field)}
          onChange={(isChosen) => set(field, isChosen)}
        />
      ))}
    </fieldset>
  )
}
