import { createContext, useContext } from 'react'
import type { DocumentEdits } from '../../audience/editor-context.ts'
import { type Mistake, mistakesWithin, problemAt, problemBeside } from '../../draft/mistakes.ts'
import { formatPath, type Path, valueAt } from '../../draft/path.ts'
import { withMember } from './members.ts'

/** What every form of a flow knows: the flow as the API takes it, how it is changed, and what is wrong with it. */
export type FlowForm = {
  readonly kind: 'canvas' | 'campaign'
  readonly id: string
  /** The document is the flow itself. */
  readonly edits: DocumentEdits
  readonly mistakes: readonly Mistake[]
  /** Why nothing can be changed. */
  readonly readOnly: string | undefined
}

export const FlowFormContext = createContext<FlowForm | undefined>(undefined)

export function useFlowForm(): FlowForm {
  const form = useContext(FlowFormContext)
  if (!form) throw new Error('a form of a flow is outside its frame')
  return form
}

/** The value at a path with its mistakes. Null counts as absent, as it does for the server. */
export function useField(path: Path) {
  const { edits, mistakes } = useFlowForm()
  return {
    value: valueAt(edits.document, path) ?? undefined,
    /** What is wrong with the value, or with something in it. */
    problem: problemAt(mistakes, path),
    /** What is wrong with it and is shown by none of its parts. */
    problemBeside: (parts: readonly Path[]) => problemBeside(mistakes, path, parts),
    hasMistake: mistakesWithin(mistakes, path).length > 0,
    /** Undefined leaves the member out, and with it an object that has nothing else. */
    set: (value: unknown) => edits.change((document) => withMember(document, path, value), formatPath(path)),
  }
}

/** The text at a path; empty when there is none. */
export function useText(path: Path) {
  const field = useField(path)
  return { ...field, text: typeof field.value === 'string' ? field.value : '' }
}
