import type { Identifier } from './identifier.ts'
import type { Person } from './person.ts'

/** Bytes of one generation: half a million entries of usual identifiers. */
const generationBytesMax = 128 * 1_048_576
/** Bytes of an entry besides the text of its identifier: a place in a map, the person and its id. */
const entryBytes = 200
/** The most people that a generation forgets one by one. For more, it is cheaper to clear the cache. */
export const forgottenMax = 50_000

/** The people that a cache must forget because they changed after the version of the cache. `number` is the newest version. */
export type IdentityChanges = { readonly number: number; readonly profile_ids: readonly string[] }

/** People by identifier. One map for each workspace and kind saves building a longer key for every look-up. */
class Generation {
  readonly #maps = new Map<string, Map<number, Map<string, Person>>>()
  /**
   * Forgotten people by profile_id. An entry of a forgotten person is valid only if it was added later: then it is the same object as the
   * one stored here.
   */
  readonly #forgotten = new Map<string, Person | null>()
  bytes = 0

  /** Returns null if the entry is no longer valid. */
  find(workspace_id: number, { kind, value }: Identifier): Person | null | undefined {
    const found = this.#maps.get(kind)?.get(workspace_id)?.get(value)
    if (!found || this.#forgotten.size === 0) return found
    const added = this.#forgotten.get(found.profile_id)
    return added === undefined || added === found ? found : null
  }

  keep(workspace_id: number, { kind, value }: Identifier, person: Person): void {
    const workspaces = this.#maps.getOrInsertComputed(kind, () => new Map())
    workspaces.getOrInsertComputed(workspace_id, () => new Map()).set(value, this.#counted(person))
    this.bytes += bytesOfEntry(value)
  }

  /** Returns false if these are too many people to forget one by one. */
  forget(profile_ids: readonly string[]): boolean {
    for (const profile_id of profile_ids) this.#forgotten.set(profile_id, null)
    return this.#forgotten.size <= forgottenMax
  }

  #counted(person: Person): Person {
    const added = this.#forgotten.get(person.profile_id)
    if (added !== null) return added ?? person
    const replacement = { ...person }
    this.#forgotten.set(person.profile_id, replacement)
    return replacement
  }
}

/** Returns about how many bytes of memory an entry takes. A character takes two at most. */
export function bytesOfEntry(value: string): number {
  return entryBytes + 2 * value.length
}

/**
 * A cache of the owners of exclusive identifiers. Two generations approximate a least-recently-used order: an entry that was not read
 * during one generation is dropped.
 */
export class Identities {
  readonly #bytesMax: number
  #young = new Generation()
  #old = new Generation()
  #version: number | undefined
  #epoch = 0

  constructor(bytesMax = generationBytesMax) {
    this.#bytesMax = bytesMax
  }

  find(workspace_id: number, identifier: Identifier): Person | undefined {
    const young = this.#young.find(workspace_id, identifier)
    if (young !== undefined || this.#old.bytes === 0) return young ?? undefined
    const old = this.#old.find(workspace_id, identifier)
    if (!old) return undefined
    this.keep(workspace_id, identifier, old)
    return old
  }

  keep(workspace_id: number, identifier: Identifier, person: Person): void {
    if (this.#young.bytes + bytesOfEntry(identifier.value) > this.#bytesMax) {
      this.#old = this.#young
      this.#young = new Generation()
    }
    this.#young.keep(workspace_id, identifier, person)
  }

  /** The identity version of the entries; undefined while there are none. */
  get version(): number | undefined {
    return this.#version
  }

  /**
   * Takes over a newer version: forgets the people who changed since the known version, or clears the cache if these people are unknown.
   */
  refresh(version: number, changes: IdentityChanges | undefined): void {
    if (changes && changes.number >= version) this.forget(changes.profile_ids)
    else if (this.#version !== undefined) this.clear()
    this.#version = Math.max(version, changes?.number ?? 0)
  }

  /** A number that rises when people are forgotten. Results from an earlier epoch are no longer valid. */
  get epoch(): number {
    return this.#epoch
  }

  /** Forgets all entries of these people. Entries that are added later are valid again. */
  forget(profile_ids: readonly string[]): void {
    this.#epoch++
    const young = this.#young.forget(profile_ids)
    const old = this.#old.forget(profile_ids)
    if (!young || !old) this.clear()
  }

  clear(): void {
    this.#epoch++
    this.#young = new Generation()
    this.#old = new Generation()
  }
}
