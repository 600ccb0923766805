import { type ReactNode, useState } from 'react'
import { examples } from '../../audience/examples.ts'
import { type Mistake, problemAt } from '../../draft/mistakes.ts'
import { isSame } from '../../draft/rebased.ts'
import type { Draft } from '../../draft/use-draft.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/facts.tsx'
import { TextField } from '../../ui/form.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { parseExactly } from '../../words/exact-json.ts'
import { readTags, type SegmentDraft } from './segment-draft.ts'
import styles from './segment-editor.module.css'

type ConditionsCardProps = {
  draft: Draft<SegmentDraft>
  mistakes: readonly Mistake[]
  isNew: boolean
  /** The conditions as parts. */
  children: ReactNode
}

/** The name of a segment and its conditions, as parts and as JSON. */
export function ConditionsCard({ draft, mistakes, isNew, children }: ConditionsCardProps) {
  const { document, set } = draft
  return (
    <Card title="What it is">
      <div className={styles.fields}>
        <TextField
          label="Name"
          value={document.name}
          maxLength={255}
          problem={problemAt(mistakes, ['name'])}
          onChange={(name) => set(['name'], name)}
        />
        <TextField
          label="Description"
          value={document.description}
          maxLength={1000}
          problem={problemAt(mistakes, ['description'])}
          onChange={(description) => set(['description'], description)}
        />
        <TagsField
          tags={document.tags}
          problem={problemAt(mistakes, ['tags'])}
          onChange={(tags) => set(['tags'], tags)}
        />
      </div>
      {isNew && (
        <div className={styles.examples}>
          <span>Begin with an example:</span>
          {examples.map(({ name, audience }) => (
            <Button
              key={name}
              aria-pressed={isSame(audience, document.audience)}
              onClick={() => set(['audience'], audience)}
            >
              {name}
            </Button>
          ))}
        </div>
      )}
      <div className={styles.conditions}>{children}</div>
      <details className={styles.json}>
        <summary>The conditions as JSON</summary>
        <JsonField
          label="Conditions"
          rows={12}
          read={parseExactly}
          value={document.audience}
          onChange={(audience) => set(['audience'], audience)}
        />
      </details>
    </Card>
  )
}

type TagsFieldProps = {
  tags: readonly string[]
  problem: string | undefined
  onChange: (tags: readonly string[]) => void
}

function TagsField({ tags, problem, onChange }: TagsFieldProps) {
  const [typed, setTyped] = useState('')
  return (
    <TextField
      label="Tags, with commas between them"
      problem={problem}
      value={isSame(readTags(typed), tags) ? typed : tags.join(', ')}
      onChange={(text) => {
        setTyped(text)
        onChange(readTags(text))
      }}
    />
  )
}
