import { identityKey } from '../identity/directory.ts'
import { aliasIdentifier, type Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'

/** Somebody's names: the external_id, those the person had before, and one alias name under each label. */
export type Named = {
  readonly person: Person
  external_id: string | null
  readonly former: Set<string>
  readonly aliases: Map<string, string>
}

/** An alias of which only the name changes. */
export type AliasUpdate = {
  readonly alias_label: string
  readonly old_alias_name: string
  readonly new_alias_name: string
}

export type Rename = { readonly current_external_id: string; readonly new_external_id: string }

/** Why an id stays as it is. */
export type RenameRefusal = 'unknown' | 'deprecated' | 'same' | 'taken'
export type RemovalRefusal = 'unknown' | 'primary'

const externalId = (value: string): Identifier => ({ kind: 'external_id', value })

/**
 * Who is called what, as far as one request of a workspace needs to know, and what the request makes of it, item by item. No I/O:
 * `change-names.ts` fills it and writes what has changed.
 */
export class Naming {
  readonly #workspace_id: number
  readonly #owners: Map<string, Named>
  readonly #free: Set<string>
  readonly #changed = new Set<Named>()

  /** Keys are those of `identityKey`. `free`: names that nobody has and that this request may give. */
  constructor(workspace_id: number, owners: ReadonlyMap<string, Named>, free: ReadonlySet<string>) {
    this.#workspace_id = workspace_id
    this.#owners = new Map(owners)
    this.#free = new Set(free)
  }

  /** A second alias with one label, and an alias of somebody else, are left out. */
  addAlias(external_id: string, alias_label: string, alias_name: string): void {
    const somebody = this.ownerOf(externalId(external_id))
    const alias = aliasIdentifier(alias_label, alias_name)
    if (!somebody || somebody.aliases.has(alias_label) || !this.#isFree(alias)) return
    this.#give(alias, somebody)
    somebody.aliases.set(alias_label, alias_name)
  }

  updateAlias({ alias_label, old_alias_name, new_alias_name }: AliasUpdate): void {
    const before = aliasIdentifier(alias_label, old_alias_name)
    const after = aliasIdentifier(alias_label, new_alias_name)
    const somebody = this.ownerOf(before)
    if (!somebody || !this.#isFree(after)) return
    this.#take(before, somebody)
    this.#give(after, somebody)
    somebody.aliases.set(alias_label, new_alias_name)
  }

  /** Both ids name the person until the earlier one is removed. */
  rename({ current_external_id, new_external_id }: Rename): RenameRefusal | undefined {
    const somebody = this.ownerOf(externalId(current_external_id))
    if (!somebody) return 'unknown'
    if (somebody.external_id !== current_external_id) return 'deprecated'
    if (new_external_id === current_external_id) return 'same'
    const after = externalId(new_external_id)
    if (!this.#isFree(after)) return 'taken'
    this.#give(after, somebody)
    somebody.former.add(current_external_id)
    somebody.external_id = new_external_id
    return undefined
  }

  /** Only an id that the person had before. */
  removeFormer(external_id: string): RemovalRefusal | undefined {
    const former = externalId(external_id)
    const somebody = this.ownerOf(former)
    if (!somebody) return 'unknown'
    if (!somebody.former.has(external_id)) return 'primary'
    this.#take(former, somebody)
    somebody.former.delete(external_id)
    return undefined
  }

  ownerOf(who: Identifier): Named | undefined {
    return this.#owners.get(this.#keyOf(who))
  }

  /** Those whose names are not what they were. */
  changed(): Named[] {
    return [...this.#changed]
  }

  #isFree(who: Identifier): boolean {
    return this.#free.has(this.#keyOf(who))
  }

  #give(who: Identifier, somebody: Named): void {
    this.#free.delete(this.#keyOf(who))
    this.#owners.set(this.#keyOf(who), somebody)
    this.#changed.add(somebody)
  }

  #take(who: Identifier, somebody: Named): void {
    this.#owners.delete(this.#keyOf(who))
    this.#free.add(this.#keyOf(who))
    this.#changed.add(somebody)
  }

  #keyOf(who: Identifier): string {
    return identityKey(this.#workspace_id, who)
  }
}
