import type { Item } from '../support/people.ts'
import type { Shown } from './unnamed-model.ts'

/** A person with what marks them, and the identifiers that name them. A person without marks has a name only. */
type Group = { marks: readonly string[]; readonly labels: Map<string, string> }

/**
 * A few people, each with an attribute and an event of their own, as merges, identifications and changes of identifiers leave them. It
 * takes only what was accepted without having been named.
 */
export class Merged {
  readonly marks: readonly { readonly who: Item; readonly mark: string }[]
  /** The owner of each identifier. Aliases are known by their names, which are unique. */
  readonly #owners = new Map<string, Group>()
  readonly #groups = new Set<Group>()
  readonly #wrong: string[] = []

  constructor(people: readonly Item[]) {
    this.marks = people.map((who) => ({ who, mark: `of ${nameOf(who)}` }))
    for (const { who, mark } of this.marks) this.#name(who, this.#make([mark]))
  }

  /** Takes an item that an answer has accepted and not named. */
  take(path: string, item: Item): void {
    const { user_alias, external_id, alias_label, alias_name, old_alias_name, new_alias_name } = item
    if (path === '/users/alias/new') {
      this.#name({ user_alias: { alias_label, alias_name } }, this.#owner({ external_id }) ?? this.#make([]))
    } else if (path === '/users/alias/update') {
      const old = { user_alias: { alias_label, alias_name: old_alias_name } }
      this.#move(path, item, old, { user_alias: { alias_label, alias_name: new_alias_name } })
      if (old_alias_name !== new_alias_name) this.#owners.delete(String(old_alias_name))
    } else if (path === '/users/external_ids/rename') {
      this.#move(path, item, { external_id: item.current_external_id }, { external_id: item.new_external_id })
    } else if (path === '/users/merge') {
      this.#merge(path, item, item.identifier_to_merge as Item, item.identifier_to_keep as Item)
    } else if (this.#owner({ external_id })) this.#merge(path, item, { user_alias }, { external_id })
    else this.#move(path, item, { user_alias }, { external_id })
  }

  /** Returns what is missing, as sentences. */
  missingIn(found: ReadonlyMap<string, Shown>): string[] {
    const missing = [...this.#wrong]
    for (const [name, { marks }] of this.#owners) {
      const shown = found.get(name)
      if (!shown) missing.push(`${name} names nobody`)
      else missing.push(...missingOf(name, marks, shown))
    }
    // Every person keeps at least one identifier, so nobody is left out here.
    const named = new Set(this.#owners.values())
    for (const group of this.#groups)
      if (group.marks.length > 0 && !named.has(group)) missing.push(`nothing names ${group.marks}`)
    return missing
  }

  #make(marks: readonly string[]): Group {
    const made: Group = { marks, labels: new Map() }
    this.#groups.add(made)
    return made
  }

  #owner(who: Item): Group | undefined {
    return this.#owners.get(nameOf(who))
  }

  #name(who: Item, owner: Group): void {
    this.#owners.set(nameOf(who), owner)
    const { user_alias } = who
    if (user_alias !== undefined) owner.labels.set(labelOf(user_alias), nameOf(who))
  }

  #move(path: string, item: Item, from: Item, to: Item): void {
    const owner = this.#owner(from)
    if (owner) this.#name(to, owner)
    else this.#doubt(path, item)
  }

  #doubt(path: string, item: Item): void {
    this.#wrong.push(`${path} was accepted, and nothing named it: ${JSON.stringify(item)}`)
  }

  /**
   * Merges one person into another: the person who is kept has what both had. External ids of the other one name nobody any more, and an
   * alias whose label the kept one has is given up (docs/api-decisions.md).
   */
  #merge(path: string, item: Item, merged: Item, kept: Item): void {
    const [from, into] = [this.#owner(merged), this.#owner(kept)]
    if (!from || !into) this.#doubt(path, item)
    if (!from || !into || from === into) return
    into.marks = [...into.marks, ...from.marks]
    this.#groups.delete(from)
    for (const [name, owner] of this.#owners) {
      if (owner !== from) continue
      const label = [...from.labels].find(([, own]) => own === name)?.[0]
      const isLost = label === undefined ? !name.includes('@') : into.labels.has(label)
      if (isLost) this.#owners.delete(name)
      else this.#owners.set(name, into)
    }
    for (const [label, name] of from.labels) if (!into.labels.has(label)) into.labels.set(label, name)
  }
}

function nameOf({ external_id, user_alias, email }: Item): string {
  if (external_id !== undefined) return String(external_id)
  if (user_alias !== undefined) return (user_alias as { alias_name: string }).alias_name
  return String(email).toLowerCase()
}

function labelOf(user_alias: unknown): string {
  return (user_alias as { alias_label: string }).alias_label
}

function missingOf(name: string, marks: readonly string[], { custom, events }: Shown): string[] {
  const own = events.map((event) => event.name)
  return [
    ...marks.flatMap((mark) => (custom[mark] === mark ? [] : [`${name} has no attribute ${mark}`])),
    ...marks.flatMap((mark) => (own.includes(mark) ? [] : [`${name} has no event ${mark}`])),
    ...Object.keys(custom).flatMap((mark) => (marks.includes(mark) ? [] : [`${name} has ${mark}`])),
    ...(own.length === marks.length ? [] : [`${name} has ${own.length} events, not ${marks.length}`]),
  ]
}
