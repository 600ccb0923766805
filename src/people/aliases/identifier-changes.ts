import { identityKey } from '../identity/directory.ts'
import { aliasIdentifier, type Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'

/** The external_id of a person, former external ids, and alias names by label. */
export type PersonIdentifiers = {
  readonly person: Person
  external_id: string | null
  readonly former: Set<string>
  readonly aliases: Map<string, string>
}

/** A new name for an alias; the label stays. */
export type AliasUpdate = {
  readonly alias_label: string
  readonly old_alias_name: string
  readonly new_alias_name: string
}

export type ExternalIdRename = { readonly current_external_id: string; readonly new_external_id: string }

/** Why an external id is not renamed or removed. */
export type RenameRefusal = 'unknown' | 'deprecated' | 'same' | 'taken'
export type RemovalRefusal = 'unknown' | 'primary'

/** Why an alias is not given, or not renamed. */
export type AliasRefusal = 'unknown' | 'label' | 'taken'

const externalId = (value: string): Identifier => ({ kind: 'external_id', value })

/**
 * The identifiers of people that one request of a workspace may change, and its changes, item by item. No I/O: `change-identifiers.ts`
 * loads the identifiers and writes the changes.
 */
export class IdentifierChanges {
  readonly #workspace_id: number
  readonly #owners: Map<string, PersonIdentifiers>
  readonly #free: Set<string>
  readonly #changed = new Set<PersonIdentifiers>()

  /** Keys are made by `identityKey`. `free`: identifiers without an owner that this request may give. */
  constructor(workspace_id: number, owners: ReadonlyMap<string, PersonIdentifiers>, free: ReadonlySet<string>) {
    this.#workspace_id = workspace_id
    this.#owners = new Map(owners)
    this.#free = new Set(free)
  }

  /** Adds an alias, unless the person has it. Refuses when the person has another alias with this label, or when the alias is not free. */
  addAlias(external_id: string, alias_label: string, alias_name: string): AliasRefusal | undefined {
    const owner = this.ownerOf(externalId(external_id))
    const alias = aliasIdentifier(alias_label, alias_name)
    if (!owner) return 'unknown'
    if (owner.aliases.get(alias_label) === alias_name) return undefined
    if (owner.aliases.has(alias_label)) return 'label'
    if (!this.#isFree(alias)) return 'taken'
    this.#give(alias, owner)
    owner.aliases.set(alias_label, alias_name)
    return undefined
  }

  updateAlias({ alias_label, old_alias_name, new_alias_name }: AliasUpdate): AliasRefusal | undefined {
    const before = aliasIdentifier(alias_label, old_alias_name)
    const after = aliasIdentifier(alias_label, new_alias_name)
    const owner = this.ownerOf(before)
    if (!owner) return 'unknown'
    if (new_alias_name === old_alias_name) return undefined
    if (!this.#isFree(after)) return 'taken'
    this.#take(before, owner)
    this.#give(after, owner)
    owner.aliases.set(alias_label, new_alias_name)
    return undefined
  }

  /** Renames an external_id. Both external ids name the person until the former one is removed. */
  rename({ current_external_id, new_external_id }: ExternalIdRename): RenameRefusal | undefined {
    const owner = this.ownerOf(externalId(current_external_id))
    if (!owner) return 'unknown'
    if (owner.external_id !== current_external_id) return 'deprecated'
    if (new_external_id === current_external_id) return 'same'
    const after = externalId(new_external_id)
    if (!this.#isFree(after)) return 'taken'
    this.#give(after, owner)
    owner.former.add(current_external_id)
    owner.external_id = new_external_id
    return undefined
  }

  /** Removes a former external id. Refuses the current one. */
  removeFormer(external_id: string): RemovalRefusal | undefined {
    const former = externalId(external_id)
    const owner = this.ownerOf(former)
    if (!owner) return 'unknown'
    if (!owner.former.has(external_id)) return 'primary'
    this.#take(former, owner)
    owner.former.delete(external_id)
    return undefined
  }

  ownerOf(who: Identifier): PersonIdentifiers | undefined {
    return this.#owners.get(this.#keyOf(who))
  }

  /** Returns the people whose identifiers have changed. */
  changed(): PersonIdentifiers[] {
    return [...this.#changed]
  }

  #isFree(who: Identifier): boolean {
    return this.#free.has(this.#keyOf(who))
  }

  #give(who: Identifier, owner: PersonIdentifiers): void {
    this.#free.delete(this.#keyOf(who))
    this.#owners.set(this.#keyOf(who), owner)
    this.#changed.add(owner)
  }

  #take(who: Identifier, owner: PersonIdentifiers): void {
    this.#owners.delete(this.#keyOf(who))
    this.#free.add(this.#keyOf(who))
    this.#changed.add(owner)
  }

  #keyOf(who: Identifier): string {
    return identityKey(this.#workspace_id, who)
  }
}
