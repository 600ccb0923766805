import type { AttributeNameRow } from './attribute-name-store.ts'

/** Bytes of a name besides its text: a place in a map. */
const nameBytes = 100

type Known = { readonly types: Map<string, number>; isFull: boolean }

/** The committed names of attributes of workspaces, with their types. With `bytesMax` bytes of names it is emptied. */
export class AttributeNameCache {
  readonly #bytesMax: number
  readonly #workspaces = new Map<number, Known>()
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Returns the types of the known names of a workspace. */
  typesOf(workspace_id: number): ReadonlyMap<string, number> {
    return this.#knownOf(workspace_id).types
  }

  /** Whether a workspace has no place for further names, and all names that it has are known. */
  isFull(workspace_id: number): boolean {
    return this.#knownOf(workspace_id).isFull
  }

  add(workspace_id: number, row: AttributeNameRow): void {
    if (this.#bytes >= this.#bytesMax) this.#empty()
    this.#put(workspace_id, row)
  }

  /** Adds all names of a workspace that has no place for others. They are never emptied in part. */
  addFull(workspace_id: number, rows: readonly AttributeNameRow[]): void {
    if (this.#bytes + rows.reduce((sum, { name }) => sum + bytesOf(name), 0) >= this.#bytesMax) this.#empty()
    for (const row of rows) this.#put(workspace_id, row)
    this.#knownOf(workspace_id).isFull = true
  }

  #put(workspace_id: number, { name, types }: AttributeNameRow): void {
    const known = this.#knownOf(workspace_id).types
    const before = known.get(name)
    if (before === undefined) this.#bytes += bytesOf(name)
    known.set(name, (before ?? 0) | types)
  }

  #knownOf(workspace_id: number): Known {
    return this.#workspaces.getOrInsertComputed(workspace_id, () => ({ types: new Map(), isFull: false }))
  }

  #empty(): void {
    this.#workspaces.clear()
    this.#bytes = 0
  }
}

function bytesOf(name: string): number {
  return nameBytes + 2 * name.length
}
