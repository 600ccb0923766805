import type { Filter } from './filter.ts'
import { folded, matchesItem } from './filter-match.ts'
import type { Step } from './patch-path.ts'
import { type Attribute, findAttribute } from './schema.ts'
import { isMembers, isSet, itemsMax, type Mistake, type Read, readItem, readValue } from './values.ts'

export type Verb = 'add' | 'replace' | 'remove'

type Building = { [name: string]: unknown }

/**
 * Carries out one operation within `members`, which are changed in place: a copy is what the caller hands over. `path` is where they stand,
 * for the words of a refusal. A value that is null or empty stands for none.
 */
export function change(
  members: Building,
  [{ attribute, selection }, ...rest]: readonly [Step, ...Step[]],
  verb: Verb,
  value: unknown,
  path = '',
): Mistake | undefined {
  const { name } = attribute
  const at = `${path}${name}`
  const [next, ...further] = rest
  if (attribute.multiValued) {
    const list = new ListChange(attribute, members[name], at)
    const isWhole = next === undefined && selection === undefined
    const mistake = isWhole ? list.changeWhole(verb, value) : list.changeItems(selection, rest, verb, value)
    if (!mistake) put(members, name, list.items)
    return mistake
  }
  if (next === undefined) return changeSingle(members, attribute, verb, value, at)
  const inner = isMembers(members[name]) ? { ...members[name] } : {}
  const mistake = change(inner, [next, ...further], verb, value, `${at}.`)
  if (!mistake) put(members, name, inner)
  return mistake
}

/** An attribute without anything in it is not there (RFC 7643, section 2.5). */
function put(members: Building, name: string, value: readonly unknown[] | Building): void {
  if (Object.keys(value).length > 0) members[name] = value
  else delete members[name]
}

function changeSingle(
  members: Building,
  attribute: Attribute,
  verb: Verb,
  value: unknown,
  at: string,
): Mistake | undefined {
  const { name, mutability, required } = attribute
  const isRemoval = verb === 'remove' || value === null || value === ''
  if (isRemoval) {
    // An account about which nothing is said is active: taking that away must not let somebody in again.
    if (required || mutability === 'immutable' || at === 'active') return fixed(`${at} cannot be removed`)
    delete members[name]
    return undefined
  }
  if (attribute.subAttributes) {
    const inner = isMembers(members[name]) ? { ...members[name] } : {}
    const mistake = changeMembers(inner, attribute, verb, value, at)
    if (!mistake) put(members, name, inner)
    return mistake
  }
  const read = readValue(attribute, value, at)
  if (read.mistake) return read.mistake
  if (mutability !== 'immutable') members[name] = read.value
  else if (folded(String(read.value)) !== folded(String(members[name]))) return fixed(`${at} cannot be changed`)
  return undefined
}

/** Sets the members that are given and leaves the others (RFC 7644, sections 3.5.2.1 and 3.5.2.3). */
function changeMembers(
  members: Building,
  { subAttributes = [] }: Attribute,
  verb: Verb,
  value: unknown,
  at: string,
): Mistake | undefined {
  const hasValue = subAttributes.some(({ name }) => name === 'value')
  const given = hasValue && typeof value === 'string' ? { value } : value
  if (!isMembers(given)) return invalid(`${at} must be an object`)
  for (const [name, each] of Object.entries(given)) {
    const attribute = findAttribute(subAttributes, name)
    if (attribute === undefined || !isSet(attribute)) continue
    const mistake = change(members, [{ attribute }], verb, each, `${at}.`)
    if (mistake) return mistake
  }
  return undefined
}

/** A list while it is changed. */
class ListChange {
  items: unknown[]
  private readonly attribute: Attribute
  private readonly at: string
  private readonly hasValue: boolean
  /** Members by which an item is known. */
  private readonly names: readonly string[]

  constructor(attribute: Attribute, items: unknown, at: string) {
    this.attribute = attribute
    this.items = Array.isArray(items) ? [...items] : []
    this.at = at
    const names = attribute.subAttributes?.map(({ name }) => name) ?? []
    this.hasValue = names.includes('value')
    this.names = names.filter((name) => /(?:Id|Name)$/.test(name))
  }

  /** The list as a whole; a removal with a value takes out just the items that it names. */
  changeWhole(verb: Verb, value: unknown): Mistake | undefined {
    if (value === null || (value === undefined && verb === 'remove')) {
      this.items = []
      return undefined
    }
    const read = readValue(this.attribute, value, this.at)
    if (read.mistake) return read.mistake
    const given = read.value as readonly unknown[]
    if (verb === 'remove') {
      const named = given.map(namedBy)
      this.items = this.items.filter((item) => !named.some((each) => isMeantBy(item, each)))
      return undefined
    }
    if (verb === 'replace') {
      this.items = [...given]
      return undefined
    }
    return this.add(given)
  }

  /** Adds items; one of the id or the name that another has adds what it holds to that. */
  private add(given: readonly unknown[]): Mistake | undefined {
    const places = new Map<string, number>()
    const touched: unknown[] = []
    for (const [i, item] of this.items.entries()) for (const key of this.keysOf(item)) places.set(key, i)
    for (const each of given) {
      const keys = this.keysOf(each)
      const at = keys.map((key) => places.get(key))
      const [i] = at
      const item = i === undefined ? undefined : this.items[i]
      if (i === undefined || at.some((other) => other !== i)) {
        for (const key of keys) places.set(key, this.items.length)
        this.items.push(each)
        touched.push(each)
      } else if (this.names.length > 0 && isMembers(item)) {
        const gaining = { ...item }
        const mistake = changeMembers(gaining, this.attribute, 'add', each, this.at)
        if (mistake) return mistake
        this.items[i] = gaining
      } else touched.push(item)
    }
    return this.settle(touched)
  }

  /** By what an item is known again: its id and its name, as workspaces, teams, roles and permission sets have them, else all of it. */
  private keysOf(item: unknown): string[] {
    if (!isMembers(item)) return [JSON.stringify(item)]
    const known = this.names.filter((name) => item[name] !== undefined)
    if (known.length > 0) return known.map((name) => `${name} ${item[name]}`)
    return [JSON.stringify(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))]
  }

  /** The items that are selected, or something in them. One that is selected by what it is for is made when there is none. */
  changeItems(selection: Filter | undefined, rest: readonly Step[], verb: Verb, value: unknown): Mistake | undefined {
    const isMeant = (item: unknown) => selection === undefined || matchesItem(selection, item, this.attribute)
    if (!this.items.some(isMeant)) {
      if (verb === 'remove' && selection === undefined) return undefined
      const made = selection === undefined ? {} : madeBy(selection)
      if (verb === 'remove' || made === undefined) {
        return { scimType: 'noTarget', detail: `${this.at} has no item that is selected` }
      }
      this.items.push(made)
    }
    const touched: unknown[] = []
    const items: unknown[] = []
    for (const item of this.items) {
      if (!isMeant(item)) {
        items.push(item)
        continue
      }
      const { mistake, value: changed } = this.changeItem(item, rest, verb, value)
      if (mistake) return mistake
      if (changed === undefined) continue
      items.push(changed)
      touched.push(changed)
    }
    this.items = items
    return this.settle(touched)
  }

  /** What becomes of an item; undefined when nothing does. */
  private changeItem(item: unknown, [next, ...further]: readonly Step[], verb: Verb, value: unknown): Read {
    const { attribute, at } = this
    if (next === undefined && (verb === 'remove' || value === null || value === '')) return { value: undefined }
    if (!isMembers(item)) return readItem(attribute, value, at)
    const changed = { ...item }
    const mistake = next
      ? change(changed, [next, ...further], verb, value, `${at}.`)
      : changeMembers(changed, attribute, verb, value, at)
    if (mistake) return { value: undefined, mistake }
    return { value: this.hasValue && changed.value === undefined ? undefined : changed }
  }

  /** Of those that are primary the one that was just made so stays it. */
  private settle(touched: readonly unknown[]): Mistake | undefined {
    const { entriesMax = itemsMax } = this.attribute
    if (this.items.length > entriesMax) return invalid(`${this.at} must have at most ${entriesMax} entries`)
    const first = touched.find(isPrimary)
    if (first === undefined) return undefined
    this.items = this.items.map((item) => (item !== first && isPrimary(item) ? { ...item, primary: false } : item))
    return undefined
  }
}

function isPrimary(item: unknown): item is Building {
  return isMembers(item) && item.primary === true
}

/** What is said of items that are to go; lists inside of them say nothing. */
function namedBy(given: unknown): unknown {
  return isMembers(given) ? Object.entries(given).filter(([, value]) => !Array.isArray(value)) : given
}

function isMeantBy(item: unknown, named: unknown): boolean {
  if (!isMembers(item) || !Array.isArray(named)) return item === named
  return named.length > 0 && named.every(([name, value]) => item[name] === value)
}

/** The item that a provider means to be there when it selects by `type eq "work"`: with what the selection says. */
function madeBy(selection: Filter): Building | undefined {
  const terms = 'all' in selection ? selection.all : [selection]
  const made: Building = {}
  for (const term of terms) {
    const isEquality = 'path' in term && term.operator === 'eq' && term.value !== null
    if (!isEquality || (term.path !== 'type' && term.path !== 'primary')) return undefined
    made[term.path] = term.value
  }
  return made
}

function fixed(detail: string): Mistake {
  return { scimType: 'mutability', detail }
}

function invalid(detail: string): Mistake {
  return { scimType: 'invalidValue', detail }
}
