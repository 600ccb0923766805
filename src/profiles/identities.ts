import type { Identifier } from './identifier.ts'
import type { Person } from './ref.ts'

const generationMax = 500_000

/** Persons by value, one map for each workspace and kind: a value needs no longer key made of it to be looked up. */
class Generation {
  readonly #maps = new Map<string, Map<number, Map<string, Person>>>()
  size = 0

  find(workspace_id: number, { kind, value }: Identifier): Person | undefined {
    return this.#maps.get(kind)?.get(workspace_id)?.get(value)
  }

  keep(workspace_id: number, { kind, value }: Identifier, person: Person): void {
    const workspaces = this.#maps.getOrInsertComputed(kind, () => new Map())
    workspaces.getOrInsertComputed(workspace_id, () => new Map()).set(value, person)
    this.size++
  }
}

/**
 * Which person an identifier names, for identifiers that name exactly one. Two generations stand in for an exact
 * least-recently-used order: what was not asked for during a whole generation is forgotten.
 */
export class Identities {
  #young = new Generation()
  #old = new Generation()
  #version = 0
  #epoch = 0
  /** Whether most of what was not found lately was new to storage as well: so it is when the cache is warm. */
  missesNewcomers = false

  find(workspace_id: number, who: Identifier): Person | undefined {
    const young = this.#young.find(workspace_id, who)
    if (young || this.#old.size === 0) return young
    const old = this.#old.find(workspace_id, who)
    if (old) this.keep(workspace_id, who, old)
    return old
  }

  keep(workspace_id: number, who: Identifier, person: Person): void {
    if (this.#young.size >= generationMax) {
      this.#old = this.#young
      this.#young = new Generation()
    }
    this.#young.keep(workspace_id, who, person)
  }

  /** Forgets everything when the identity version a flush has read is not the one the entries were read under. */
  refresh(version: number): void {
    if (this.#version === version) return
    this.clear()
    this.#version = version
  }

  /** Rises with every forgetting: an answer of an earlier epoch does not hold any more. */
  get epoch(): number {
    return this.#epoch
  }

  clear(): void {
    this.#epoch++
    this.#young = new Generation()
    this.#old = new Generation()
  }
}
