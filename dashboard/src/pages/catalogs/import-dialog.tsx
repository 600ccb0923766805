import { useId } from 'react'
import { Refusal } from '../../frame/refusal.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import formStyles from '../../ui/form.module.css'
import { formatCount } from '../../words/numbers.ts'
import styles from './catalog-page.module.css'
import { ImportColumns } from './import-columns.tsx'
import { ImportSummary } from './import-summary.tsx'
import type { Summary } from './run-import.ts'
import { useImport } from './use-import.ts'

type ImportDialogProps = { catalog: { readonly id: string; readonly name: string }; onClose: () => void }

/**
 * Imports a CSV file: it is planned as a whole before anything is written, with every line that would be refused. Closing the dialog stops
 * an import after the part that is on its way.
 */
export function ImportDialog({ catalog, onClose }: ImportDialogProps) {
  const { stage, choose, plan, write } = useImport(catalog.id)
  const fieldId = useId()
  return (
    <Dialog label={`Import into ${catalog.name}`} staysOpen onClose={onClose}>
      <div className={formStyles.form}>
        <h2 dir="auto">Import into {catalog.name}</h2>
        <div className={formStyles.field}>
          <label htmlFor={fieldId} className={formStyles.label}>
            CSV file
          </label>
          <span className={formStyles.hint}>
            The first line has the names of the columns, one of them id. Nothing is written before you have seen the
            plan.
          </span>
          <input
            id={fieldId}
            type="file"
            accept=".csv,.tsv,.txt,text/csv"
            disabled={stage.at === 'importing'}
            className={styles.file}
            // The same file can be chosen again after it was mended.
            onClick={(event) => {
              event.currentTarget.value = ''
            }}
            onChange={(event) => {
              const chosen = event.target.files?.[0]
              if (chosen) choose(chosen)
            }}
          />
        </div>
        {stage.at === 'looking' && <p role="status">Looking at the file ...</p>}
        {stage.at === 'columns' && <ImportColumns look={stage.look} onPlan={(fields) => plan(stage.look, fields)} />}
        {(stage.at === 'planning' || stage.at === 'importing') && <Progress at={stage.at} share={stage.share} />}
        {(stage.at === 'planned' || stage.at === 'done') && (
          <ImportSummary
            summary={stage.summary}
            separator={stage.look.separator}
            isDone={stage.at === 'done'}
            onImport={() => write(stage.look, stage.new_fields)}
          />
        )}
        {stage.at === 'failed' && <Failed error={stage.error} written={stage.written} />}
        <div className={formStyles.buttons}>
          <Button onClick={onClose}>{stage.at === 'done' ? 'Close' : 'Cancel'}</Button>
        </div>
      </div>
    </Dialog>
  )
}

function Progress({ at, share }: { at: 'planning' | 'importing'; share: number }) {
  const what = at === 'planning' ? 'Planning' : 'Importing'
  return (
    <div role="status">
      {what} ...
      <progress className={styles.progress} aria-label={what} value={share} max={1} />
    </div>
  )
}

/** A file that is no UTF-8 is a TypeError of the decoder. */
function Failed({ error, written }: { error: unknown; written: Summary | undefined }) {
  return (
    <div className={formStyles.refusal} role="alert">
      {error instanceof TypeError ? (
        <p>This file is not in UTF-8. Save it as CSV in UTF-8, and choose it again.</p>
      ) : (
        <Refusal error={error} />
      )}
      {written && (
        <p>
          Before that, {formatCount(written.made)} items were made and {formatCount(written.replaced)} replaced. Choose
          the file again to import the rest; lines that were written are then replaced by themselves.
        </p>
      )}
    </div>
  )
}
