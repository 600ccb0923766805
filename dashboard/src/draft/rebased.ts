/** Whether two documents are the same JSON. */
export function isSame(one: unknown, other: unknown): boolean {
  return Object.is(one, other) || JSON.stringify(one) === JSON.stringify(other)
}

/**
 * Returns an edited document on top of what another person has saved meanwhile: members that were edited stay, and the others are those
 * that were saved. Pure.
 */
export function rebased<Document>(edited: Document, from: Document, saved: Document): Document {
  const members = Object.entries(edited as object).filter(([name, value]) => !isSame(value, memberOf(from, name)))
  return { ...saved, ...Object.fromEntries(members) }
}

/** Returns the members of a document that differ from another one. Pure. */
export function changedMembers<Document extends object>(document: Document, from: Document): Partial<Document> {
  const members = Object.entries(document).filter(([name, value]) => !isSame(value, memberOf(from, name)))
  return Object.fromEntries(members) as Partial<Document>
}

function memberOf(document: unknown, name: string): unknown {
  return (document as Readonly<Record<string, unknown>>)[name]
}
