/** How many steps can be undone. */
export const stepsMax = 200

/** A document with the ones before it, and those that were undone. */
export type History<Document> = {
  readonly past: readonly Document[]
  readonly document: Document
  readonly future: readonly Document[]
  /** What the last step changed. Another change of the same is part of that step, so that a word that is typed is one step. */
  readonly last: string | undefined
}

export function begin<Document>(document: Document): History<Document> {
  return { past: [], document, future: [], last: undefined }
}

/** Returns the history after a step. `what` names what is changed, such as a path; without it, the step stands for itself. Pure. */
export function step<Document>(history: History<Document>, document: Document, what?: string): History<Document> {
  if (Object.is(document, history.document)) return history
  const isSame = what !== undefined && what === history.last
  const past = isSame ? history.past : [...history.past, history.document].slice(-stepsMax)
  return { past, document, future: [], last: what }
}

/** Pure. */
export function undo<Document>(history: History<Document>): History<Document> {
  const { past, document, future } = history
  if (past.length === 0) return history
  return { past: past.slice(0, -1), document: past.at(-1)!, future: [document, ...future], last: undefined }
}

/** Pure. */
export function redo<Document>(history: History<Document>): History<Document> {
  const { past, document, future } = history
  if (future.length === 0) return history
  return { past: [...past, document], document: future[0]!, future: future.slice(1), last: undefined }
}
