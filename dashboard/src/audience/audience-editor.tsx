import { useEffect, useMemo, useRef } from 'react'
import { formatPath, type Path } from '../draft/path.ts'
import { EditorContext } from './editor-context.ts'
import { Part } from './part.tsx'

type AudienceEditorProps = Omit<EditorContext, 'focus'> & {
  /** Where the conditions stand in the document. */
  path: Path
}

/** Conditions that are edited as parts: groups, opposites, and a line of fields for each condition. */
export function AudienceEditor({ path, workspace, edits, mistakes, counts, isStale }: AudienceEditorProps) {
  const wanted = useRef<string>(undefined)
  useEffect(() => {
    if (wanted.current === undefined) return
    const part = document.querySelector(`[data-part="${CSS.escape(wanted.current)}"]`)
    part?.querySelector<HTMLElement>('select, input, textarea, button')?.focus()
    wanted.current = undefined
  })
  const focus = useMemo(() => {
    return (part: Path) => {
      // A part is shown together with the `NOT` around it.
      const last = part.findLastIndex((step) => step !== 'NOT')
      wanted.current = formatPath(part.slice(0, last + 1))
    }
  }, [])
  return (
    <EditorContext value={{ workspace, edits, mistakes, counts, isStale, focus }}>
      <Part path={path} place={[]} />
    </EditorContext>
  )
}
