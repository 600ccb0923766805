import { useEffect, useRef, useState } from 'react'
import { begin, type History, redo, step, undo } from './history.ts'
import { formatPath, type Path, withValue } from './path.ts'
import { isSame, rebased } from './rebased.ts'
import { readStored, type Stored, store } from './stored.ts'

/** What the server has: the document, and its ETag. A document that is new has no tag. */
export type Saved<Document> = { readonly document: Document; readonly tag: string | null }

/** A document that is edited, with the steps that can be undone. It is kept in the tab until it is saved or discarded. */
export type Draft<Document> = {
  readonly document: Document
  /** What the edits began with. */
  readonly saved: Saved<Document>
  readonly isChanged: boolean
  /** The draft was found in the tab: it was begun earlier. */
  readonly isFound: boolean
  readonly canUndo: boolean
  readonly canRedo: boolean
  /** Puts a value to a path. Changes of one path in a row are undone together. */
  set(path: Path, value: unknown): void
  /** Changes the document by a function. `what` as in `step`. */
  change(by: (document: Document) => Document, what?: string): void
  undo(): void
  redo(): void
  /** Forgets the edits, and returns a function that brings them back. */
  discard(): () => void
  /** Says what the server has now. The edits and their history stay as they are. */
  settle(saved: Saved<Document>): void
  /** Goes on with the edits on top of what the server has now. */
  rebase(saved: Saved<Document>): void
  /** Forgets what is kept in the tab, after the document was saved. */
  forget(): void
}

type State<Document> = {
  readonly history: History<Document>
  readonly saved: Saved<Document>
  readonly isFound: boolean
}

/** Returns the draft of a document. `key` names it in the tab. While nothing is changed, it follows what the server has. */
export function useDraft<Document>(key: string, saved: Saved<Document>): Draft<Document> {
  const [state, setState] = useState<State<Document>>(() => open(readStored<Document>(key), saved))
  const isChanged = !isSame(state.history.document, state.saved.document)
  if (!isChanged && state.saved.tag !== saved.tag) {
    setState({ history: begin(saved.document), saved, isFound: false })
  }
  const forgotten = useRef(false)
  const { document } = state.history
  useEffect(() => {
    if (forgotten.current) return
    const { document: from, tag } = state.saved
    store(key, isChanged ? { document, saved: from, tag } : undefined)
  }, [key, isChanged, document, state.saved])
  const change = (by: (before: Document) => Document, what?: string) => {
    setState((before) => ({ ...before, history: step(before.history, by(before.history.document), what) }))
  }
  return {
    document,
    saved: state.saved,
    isChanged,
    isFound: state.isFound,
    canUndo: state.history.past.length > 0,
    canRedo: state.history.future.length > 0,
    change,
    set: (path, value) => change((before) => withValue(before, path, value), formatPath(path)),
    undo: () => setState((before) => ({ ...before, history: undo(before.history) })),
    redo: () => setState((before) => ({ ...before, history: redo(before.history) })),
    discard() {
      setState({ history: begin(saved.document), saved, isFound: false })
      return () => setState(state)
    },
    settle: (now) => setState((before) => ({ ...before, saved: now })),
    rebase(now) {
      setState(({ history, saved: { document: from } }) => {
        return { history: step(history, rebased(history.document, from, now.document)), saved: now, isFound: false }
      })
    },
    forget() {
      forgotten.current = true
      store(key, undefined)
    },
  }
}

function open<Document>(stored: Stored<Document> | undefined, saved: Saved<Document>): State<Document> {
  if (!stored) return { history: begin(saved.document), saved, isFound: false }
  const { document, saved: from, tag } = stored
  return { history: begin(document), saved: { document: from, tag }, isFound: true }
}
