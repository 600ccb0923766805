import { type ReactNode, useMemo } from 'react'
import { EditorContext } from '../../audience/editor-context.ts'
import { useViewer } from '../../frame/viewer.tsx'
import styles from './flow-forms.module.css'
import { type FlowForm, FlowFormContext } from './form-context.ts'

type FlowFormsProps = FlowForm & { children: ReactNode }

const noCounts = new Map()

/** Stands around the forms of a flow. Forms of one that cannot be changed are shown, and do nothing. */
export function FlowForms({ children, ...form }: FlowFormsProps) {
  const { kind, id, edits, mistakes, readOnly } = form
  const { workspace } = useViewer()
  const known = useMemo(() => ({ kind, id, edits, mistakes, readOnly }), [kind, id, edits, mistakes, readOnly])
  const audience = useMemo(
    () => ({ workspace: workspace.id, edits, mistakes, counts: noCounts, isStale: false, focus: () => {} }),
    [workspace.id, edits, mistakes],
  )
  return (
    <FlowFormContext value={known}>
      <EditorContext value={audience}>
        <fieldset className={styles.all} disabled={readOnly !== undefined}>
          {children}
        </fieldset>
      </EditorContext>
    </FlowFormContext>
  )
}
