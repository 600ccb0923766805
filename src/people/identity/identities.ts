import type { Identifier } from './identifier.ts'
import type { Person } from './person.ts'

const entriesMax = 500_000
/** People forgotten one by one; with more of them it is cheaper to begin anew. */
export const forgottenMax = 50_000

/** Whom a cache has to forget since a version that it knows; `number` is the newest version. */
export type IdentityChanges = { readonly number: number; readonly profile_ids: readonly string[] }

/** Persons by value, one map for each workspace and kind: a value needs no longer key made of it to be looked up. */
class Generation {
  readonly #maps = new Map<string, Map<number, Map<string, Person>>>()
  /** People whose entries do not count any more, by profile_id: only those that hold this very object, kept since, do. */
  readonly #departed = new Map<string, Person | null>()
  size = 0

  /** Null when what is here does not count any more. */
  find(workspace_id: number, { kind, value }: Identifier): Person | null | undefined {
    const found = this.#maps.get(kind)?.get(workspace_id)?.get(value)
    if (!found || this.#departed.size === 0) return found
    const since = this.#departed.get(found.profile_id)
    return since === undefined || since === found ? found : null
  }

  keep(workspace_id: number, { kind, value }: Identifier, person: Person): void {
    const workspaces = this.#maps.getOrInsertComputed(kind, () => new Map())
    workspaces.getOrInsertComputed(workspace_id, () => new Map()).set(value, this.#countable(person))
    this.size++
  }

  /** False when it has forgotten more people than it can. */
  forget(profile_ids: readonly string[]): boolean {
    for (const profile_id of profile_ids) this.#departed.set(profile_id, null)
    return this.#departed.size <= forgottenMax
  }

  #countable(person: Person): Person {
    const since = this.#departed.get(person.profile_id)
    if (since !== null) return since ?? person
    const anew = { ...person }
    this.#departed.set(person.profile_id, anew)
    return anew
  }
}

/**
 * Which person an identifier names, for identifiers that name exactly one. Two generations stand in for an exact
 * least-recently-used order: what was not asked for during a whole generation is forgotten.
 */
export class Identities {
  readonly #generationMax: number
  #young = new Generation()
  #old = new Generation()
  #version: number | undefined
  #epoch = 0

  constructor(generationMax = entriesMax) {
    this.#generationMax = generationMax
  }

  find(workspace_id: number, identifier: Identifier): Person | undefined {
    const young = this.#young.find(workspace_id, identifier)
    if (young !== undefined || this.#old.size === 0) return young ?? undefined
    const old = this.#old.find(workspace_id, identifier)
    if (!old) return undefined
    this.keep(workspace_id, identifier, old)
    return old
  }

  keep(workspace_id: number, identifier: Identifier, person: Person): void {
    if (this.#young.size >= this.#generationMax) {
      this.#old = this.#young
      this.#young = new Generation()
    }
    this.#young.keep(workspace_id, identifier, person)
  }

  /** The identity version under which the entries were read; undefined while there are none. */
  get version(): number | undefined {
    return this.#version
  }

  /** Takes over another version: forgets those who changed since the one known, or everybody when that cannot be told. */
  refresh(version: number, changes: IdentityChanges | undefined): void {
    if (changes && changes.number >= version) this.forget(changes.profile_ids)
    else if (this.#version !== undefined) this.clear()
    this.#version = Math.max(version, changes?.number ?? 0)
  }

  /** Rises with every forgetting: an answer of an earlier epoch does not hold any more. */
  get epoch(): number {
    return this.#epoch
  }

  /** What is known of these people does not count any more; what is kept of them from now on does. */
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
