import { problemAt } from '../draft/mistakes.ts'
import { type Path, valueAt } from '../draft/path.ts'
import { JsonField } from '../ui/json-field.tsx'
import { parseExactly } from '../words/exact-json.ts'
import { useEditor } from './editor-context.ts'
import styles from './part.module.css'

/** A part that the forms do not know, as it is stored. */
export function JsonPart({ path }: { path: Path }) {
  const { edits, mistakes } = useEditor()
  return (
    <div className={styles.json}>
      <JsonField
        label="A condition as JSON"
        hint="There is no form for it. It is kept as it stands."
        rows={4}
        read={parseExactly}
        value={valueAt(edits.document, path) ?? null}
        problem={problemAt(mistakes, path)}
        onChange={(value) => edits.set(path, value)}
      />
    </div>
  )
}
