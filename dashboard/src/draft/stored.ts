import { parseExactly } from '../words/exact-json.ts'

/** What is kept of a draft in the tab, until it is saved or discarded. */
export type Stored<Document> = {
  readonly document: Document
  /** The document that was changed, with its tag. */
  readonly saved: Document
  readonly tag: string | null
}

const prefix = 'easel.draft.'

export function readStored<Document>(key: string): Stored<Document> | undefined {
  try {
    const text = sessionStorage.getItem(prefix + key)
    return text === null ? undefined : (parseExactly(text) as Stored<Document>)
  } catch {
    // A browser that stores nothing has no draft.
    return undefined
  }
}

/** Keeps a draft. Undefined forgets it. */
export function store<Document>(key: string, stored: Stored<Document> | undefined): void {
  try {
    if (stored) sessionStorage.setItem(prefix + key, JSON.stringify(stored))
    else sessionStorage.removeItem(prefix + key)
  } catch {
    // A browser that stores nothing, or no more, loses the draft with the page.
  }
}
