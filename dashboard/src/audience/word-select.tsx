import type { Path } from '../draft/path.ts'
import { InlineSelect } from '../ui/inline-field.tsx'
import type { GroupWord } from './conditions.ts'
import { useEditor } from './editor-context.ts'
import styles from './part.module.css'
import { withWord } from './tree.ts'

const words = [
  { value: 'AND', label: 'All of' },
  { value: 'OR', label: 'Any of' },
] as const

/** The choice whether all parts of a group must be true, or one of them. */
export function WordSelect({ path, word }: { path: Path; word: GroupWord }) {
  const { edits } = useEditor()
  return (
    <InlineSelect
      label="How many parts must be true"
      className={styles.word}
      value={word}
      options={words}
      onChange={(next) => edits.change((document) => withWord(document, path, next as GroupWord))}
    />
  )
}
