import { createContext, useContext } from 'react'
import type { Mistake } from '../draft/mistakes.ts'
import type { Path } from '../draft/path.ts'
import type { Draft } from '../draft/use-draft.ts'

/** A number of people; an estimate is off by at most `error`. */
export type CountOfPart = { readonly count: number | null; readonly error: number | null }

/** How the parts of conditions change the document, whatever it is. */
export type DocumentEdits = Pick<Draft<unknown>, 'document' | 'set' | 'change'>

/** What every part of the conditions knows. */
export type EditorContext = {
  readonly workspace: string
  readonly edits: DocumentEdits
  readonly mistakes: readonly Mistake[]
  /** The people of each part, by the path of the part as a text. */
  readonly counts: ReadonlyMap<string, CountOfPart>
  /** The counts are those of conditions that have changed since. */
  readonly isStale: boolean
  /** Puts the focus into the part at a path, once it is shown. */
  readonly focus: (part: Path) => void
}

export const EditorContext = createContext<EditorContext | undefined>(undefined)

export function useEditor(): EditorContext {
  const editor = useContext(EditorContext)
  if (!editor) throw new Error('a part of the conditions is outside their editor')
  return editor
}
