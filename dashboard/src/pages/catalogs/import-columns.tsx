import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { CheckField, ChoiceField } from '../../ui/form.tsx'
import styles from './catalog-page.module.css'
import type { FieldType } from './cell-value.ts'
import { typeOptions } from './field-types.ts'
import type { Answer, NewField } from './run-import.ts'

type Choice = NewField & { readonly isMade: boolean }

/** Asks about columns for which the catalog has no field: a field is made, or the file must be changed. */
export function ImportColumns({ look, onPlan }: { look: Answer; onPlan: (fields: readonly NewField[]) => void }) {
  const [choices, setChoices] = useState<readonly Choice[]>(() =>
    look.unknown_columns.map((column) => ({ ...column, isMade: true })),
  )
  const change = (name: string, some: Partial<Choice>) =>
    setChoices(choices.map((choice) => (choice.name === name ? { ...choice, ...some } : choice)))
  const areAll = choices.every(({ isMade }) => isMade)
  return (
    <>
      <fieldset className={styles.columns}>
        <legend>Columns for which the catalog has no field</legend>
        {choices.map(({ name, type, isMade }) => (
          <div key={name} className={styles.row}>
            <CheckField
              label={`Make the field ${name}`}
              checked={isMade}
              onChange={(checked) => change(name, { isMade: checked })}
            />
            <ChoiceField
              label={`Type of ${name}`}
              value={type}
              options={typeOptions}
              onChange={(chosen) => change(name, { type: chosen as FieldType })}
            />
          </div>
        ))}
      </fieldset>
      <div>
        <Button
          look="main"
          disabledReason={
            areAll ? undefined : 'Make these fields, or remove the columns from the file and choose it again.'
          }
          onClick={() => onPlan(choices.map(({ name, type }) => ({ name, type })))}
        >
          Plan the import
        </Button>
      </div>
    </>
  )
}
