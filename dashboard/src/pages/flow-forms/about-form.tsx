import { useState } from 'react'
import { flowShapes } from '../../api/flow-shapes.ts'
import { isSame } from '../../draft/rebased.ts'
import { TextArea, TextField } from '../../ui/form.tsx'
import { AtPath } from './at-path.tsx'
import styles from './flow-forms.module.css'
import { useField, useText } from './form-context.ts'

/** The name of a flow, what it is for, and its tags. Changing them makes no new version. */
export function AboutForm() {
  const name = useText(['name'])
  const description = useText(['description'])
  return (
    <div className={styles.grid}>
      <AtPath path={['name']}>
        <TextField
          label="Name"
          value={name.text}
          maxLength={flowShapes.canvas.name.maxLength}
          aria-required
          problem={name.problem}
          // A flow without a name says so at its field.
          onChange={name.set}
        />
      </AtPath>
      <AtPath path={['description']}>
        <TextArea
          label="Description"
          rows={2}
          value={description.text}
          maxLength={flowShapes.canvas.description.maxLength}
          problem={description.problem}
          onChange={(text) => description.set(text === '' ? undefined : text)}
        />
      </AtPath>
      <TagsField />
    </div>
  )
}

function TagsField() {
  const { value, problem, set } = useField(['tags'])
  const [typed, setTyped] = useState('')
  const tags: readonly unknown[] = Array.isArray(value) ? value : []
  return (
    <AtPath path={['tags']}>
      <TextField
        label="Tags, with commas between them"
        problem={problem}
        value={isSame(readTags(typed), tags) ? typed : tags.join(', ')}
        onChange={(text) => {
          setTyped(text)
          const next = readTags(text)
          set(next.length === 0 ? undefined : next)
        }}
      />
    </AtPath>
  )
}

/** Reads tags as they are typed. Pure. */
function readTags(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}
