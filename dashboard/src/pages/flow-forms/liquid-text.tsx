import type { ComponentProps } from 'react'
import { formatPath, type Path } from '../../draft/path.ts'
import { LiquidField } from '../texts/text-field.tsx'
import { besidePreview } from './beside-preview.ts'
import styles from './email-form.module.css'
import { useFlowForm, useText } from './form-context.ts'
import { Problem } from './rows.tsx'

type FieldProps = ComponentProps<typeof LiquidField>
type LiquidTextProps = Pick<FieldProps, 'label' | 'names' | 'mistakes' | 'inserts' | 'isOneLine' | 'isShort'> & {
  path: Path
  /** The member of the message at `path`, which is also the name of the text in a preview. */
  member: string
  hint?: string
}

/** A text of a message that may have Liquid, with what the preview and the check found in it. */
export function LiquidText({ path, member, hint, ...shown }: LiquidTextProps) {
  const { readOnly } = useFlowForm()
  const { text, problem, set } = useText([...path, member])
  return (
    <div
      className={styles.text}
      data-wrong={problem !== undefined || undefined}
      data-path={formatPath([...path, member])}
    >
      <LiquidField
        {...shown}
        {...{ text: member, value: text, readOnly: readOnly !== undefined }}
        onChange={(next) => set(next === '' ? undefined : next)}
      />
      {hint !== undefined && <span className={styles.hint}>{hint}</span>}
      <Problem text={besidePreview(problem, member, shown.mistakes)} />
    </div>
  )
}
