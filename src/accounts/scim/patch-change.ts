import type { ScimFilter } from './filter.ts'
import { lowerAscii, matchesItem } from './filter-match.ts'
import type { PathStep } from './patch-path.ts'
import { type Attribute, findAttribute } from './schema.ts'
import {
  isScimObject,
  isWritable,
  listEntriesMax,
  type ReadValue,
  readAttributeValue,
  readListItem,
  type ScimMistake,
} from './values.ts'

export type Verb = 'add' | 'replace' | 'remove'

type MutableObject = { [name: string]: unknown }

/** Steps of work of one PATCH, each a few microseconds: items of lists that it writes or compares, members that it reads. */
export const patchStepsMax = 40_000
/** The work of writing one item of a list. */
const itemSteps = 8
/** Items of a list that are compared with a removed one in one step. */
const comparisonsPerStep = 10

/** Counts the work of one PATCH, so that no request holds the service. */
export class PatchWork {
  private left = patchStepsMax

  /** Returns a mistake when the request asks for more work than one request may. */
  spend(steps: number): ScimMistake | undefined {
    if (steps <= this.left) {
      this.left -= steps
      return undefined
    }
    return { scimType: 'tooMany', detail: 'The request changes too much at once: send several' }
  }
}

/**
 * Applies one operation to `object`, which is changed in place: pass a copy. `path` is the path of the object for messages. A value that
 * is null or empty removes the attribute. After a mistake the object is as before.
 */
export function changeAttribute(
  object: MutableObject,
  [{ attribute, selection }, ...rest]: readonly [PathStep, ...PathStep[]],
  verb: Verb,
  value: unknown,
  work: PatchWork,
  path = '',
): ScimMistake | undefined {
  const { name } = attribute
  const at = `${path}${name}`
  const [next, ...further] = rest
  if (attribute.multiValued) {
    const list = new ListChange(attribute, object[name], at, work)
    const isWholeList = next === undefined && selection === undefined
    const mistake = isWholeList ? list.changeList(verb, value) : list.changeItems(selection, rest, verb, value)
    if (!mistake) setOrDelete(object, name, list.items)
    return mistake
  }
  if (next === undefined) return changeSingle(object, attribute, verb, value, work, at)
  const inner = isScimObject(object[name]) ? { ...object[name] } : {}
  const mistake = changeAttribute(inner, [next, ...further], verb, value, work, `${at}.`)
  if (!mistake) setOrDelete(object, name, inner)
  return mistake
}

/** An empty attribute counts as absent (RFC 7643, section 2.5). */
function setOrDelete(object: MutableObject, name: string, value: readonly unknown[] | MutableObject): void {
  if (Object.keys(value).length > 0) object[name] = value
  else delete object[name]
}

function changeSingle(
  object: MutableObject,
  attribute: Attribute,
  verb: Verb,
  value: unknown,
  work: PatchWork,
  at: string,
): ScimMistake | undefined {
  const { name, mutability, required } = attribute
  const isRemoval = verb === 'remove' || value === null || value === ''
  if (isRemoval) {
    // An account without `active` is active, so removing `active: false` would silently enable the account.
    if (required || mutability === 'immutable' || at === 'active') return notMutable(`${at} cannot be removed`)
    delete object[name]
    return undefined
  }
  if (attribute.subAttributes) {
    const inner = isScimObject(object[name]) ? { ...object[name] } : {}
    const mistake = changeProperties(inner, attribute, verb, value, work, at)
    if (!mistake) setOrDelete(object, name, inner)
    return mistake
  }
  const read = readAttributeValue(attribute, value, at)
  if (read.mistake) return read.mistake
  if (mutability !== 'immutable') object[name] = read.value
  else if (lowerAscii(String(read.value)) !== lowerAscii(String(object[name])))
    return notMutable(`${at} cannot be changed`)
  return undefined
}

/** Sets the given sub-attributes and keeps the others (RFC 7644, sections 3.5.2.1 and 3.5.2.3). */
function changeProperties(
  object: MutableObject,
  { subAttributes = [] }: Attribute,
  verb: Verb,
  value: unknown,
  work: PatchWork,
  at: string,
): ScimMistake | undefined {
  const hasValue = subAttributes.some(({ name }) => name === 'value')
  const given = hasValue && typeof value === 'string' ? { value } : value
  if (!isScimObject(given)) return invalid(`${at} must be an object`)
  for (const [name, each] of Object.entries(given)) {
    const attribute = findAttribute(subAttributes, name)
    if (attribute === undefined || !isWritable(attribute)) continue
    const mistake = changeAttribute(object, [{ attribute }], verb, each, work, `${at}.`)
    if (mistake) return mistake
  }
  return undefined
}

/** A multi-valued attribute during a change. */
class ListChange {
  items: unknown[]
  private readonly attribute: Attribute
  private readonly at: string
  private readonly hasValue: boolean
  /** Names of the sub-attributes that identify an item. */
  private readonly names: readonly string[]
  private readonly work: PatchWork

  constructor(attribute: Attribute, items: unknown, at: string, work: PatchWork) {
    this.attribute = attribute
    this.work = work
    this.items = Array.isArray(items) ? [...items] : []
    this.at = at
    const names = attribute.subAttributes?.map(({ name }) => name) ?? []
    this.hasValue = names.includes('value')
    this.names = names.filter((name) => /(?:Id|Name)$/.test(name))
  }

  /** Changes the whole list. A removal with a value removes only the items that it identifies. */
  changeList(verb: Verb, value: unknown): ScimMistake | undefined {
    if (value === null || (value === undefined && verb === 'remove')) {
      this.items = []
      return undefined
    }
    const { length } = this.items
    const count = Array.isArray(value) ? value.length : 1
    const comparisons = verb === 'remove' ? Math.ceil((length * count) / comparisonsPerStep) : length * itemSteps
    const tooMuch = this.work.spend(count * itemSteps + comparisons)
    if (tooMuch) return tooMuch
    const read = readAttributeValue(this.attribute, value, this.at)
    if (read.mistake) return read.mistake
    const given = read.value as readonly unknown[]
    if (verb === 'remove') {
      const identified = given.map(identifyingEntries)
      this.items = this.items.filter((item) => !identified.some((each) => isIdentifiedBy(item, each)))
      return undefined
    }
    if (verb === 'replace') {
      this.items = [...given]
      return undefined
    }
    return this.add(given)
  }

  /** Adds items. An item with the id or name of a present one is merged into it. */
  private add(given: readonly unknown[]): ScimMistake | undefined {
    const indexes = new Map<string, number>()
    const touched: unknown[] = []
    for (const [i, item] of this.items.entries()) for (const key of this.itemKeys(item)) indexes.set(key, i)
    for (const each of given) {
      const keys = this.itemKeys(each)
      const at = keys.map((key) => indexes.get(key))
      const [i] = at
      const item = i === undefined ? undefined : this.items[i]
      if (i === undefined || at.some((other) => other !== i)) {
        for (const key of keys) indexes.set(key, this.items.length)
        this.items.push(each)
        touched.push(each)
      } else if (this.names.length > 0 && isScimObject(item)) {
        const merged = { ...item }
        const mistake = changeProperties(merged, this.attribute, 'add', each, this.work, this.at)
        if (mistake) return mistake
        this.items[i] = merged
      } else touched.push(item)
    }
    return this.keepOnePrimary(touched)
  }

  /** Returns what identifies an item: id and name for workspaces, teams, roles and permission sets, otherwise all of its content. */
  private itemKeys(item: unknown): string[] {
    if (!isScimObject(item)) return [JSON.stringify(item)]
    const known = this.names.filter((name) => item[name] !== undefined)
    if (known.length > 0) return known.map((name) => `${name} ${item[name]}`)
    return [JSON.stringify(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))]
  }

  /** Changes the selected items. When none matches, a selection by `type` or `primary` creates one. */
  changeItems(
    selection: ScimFilter | undefined,
    rest: readonly PathStep[],
    verb: Verb,
    value: unknown,
  ): ScimMistake | undefined {
    const tooMuch = this.work.spend(this.items.length * (selection === undefined ? 1 : 1 + countTerms(selection)))
    if (tooMuch) return tooMuch
    const isSelected = (item: unknown) => selection === undefined || matchesItem(selection, item, this.attribute)
    if (!this.items.some(isSelected)) {
      if (verb === 'remove' && selection === undefined) return undefined
      const created = selection === undefined ? {} : itemFromSelection(selection)
      if (verb === 'remove' || created === undefined) {
        return { scimType: 'noTarget', detail: `${this.at} has no item that matches the selection` }
      }
      this.items.push(created)
    }
    const touched: unknown[] = []
    const items: unknown[] = []
    for (const item of this.items) {
      if (!isSelected(item)) {
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
    return this.keepOnePrimary(touched)
  }

  /** Returns the changed item; undefined when it is removed. */
  private changeItem(item: unknown, [next, ...further]: readonly PathStep[], verb: Verb, value: unknown): ReadValue {
    const { attribute, at, work } = this
    if (next === undefined && (verb === 'remove' || value === null || value === '')) return { value: undefined }
    if (!isScimObject(item)) return readListItem(attribute, value, at)
    const changed = { ...item }
    const mistake = next
      ? changeAttribute(changed, [next, ...further], verb, value, work, `${at}.`)
      : changeProperties(changed, attribute, verb, value, work, at)
    if (mistake) return { value: undefined, mistake }
    return { value: this.hasValue && changed.value === undefined ? undefined : changed }
  }

  /** When the operation made an item primary, all other items lose the mark. */
  private keepOnePrimary(touched: readonly unknown[]): ScimMistake | undefined {
    const { entriesMax = listEntriesMax } = this.attribute
    if (this.items.length > entriesMax) return invalid(`${this.at} must have at most ${entriesMax} entries`)
    const first = touched.find(isPrimary)
    if (first === undefined) return undefined
    this.items = this.items.map((item) => (item !== first && isPrimary(item) ? { ...item, primary: false } : item))
    return undefined
  }
}

function isPrimary(item: unknown): item is MutableObject {
  return isScimObject(item) && item.primary === true
}

/** Returns the properties of a given item by which items are removed; lists are ignored. */
function identifyingEntries(given: unknown): unknown {
  return isScimObject(given) ? Object.entries(given).filter(([, value]) => !Array.isArray(value)) : given
}

function isIdentifiedBy(item: unknown, identity: unknown): boolean {
  if (!isScimObject(item) || !Array.isArray(identity)) return item === identity
  return identity.length > 0 && identity.every(([name, value]) => item[name] === value)
}

function countTerms(filter: ScimFilter): number {
  if ('path' in filter) return 1
  if ('not' in filter) return countTerms(filter.not)
  if ('some' in filter) return countTerms(filter.of)
  const parts = 'all' in filter ? filter.all : filter.any
  return parts.reduce((sum, each) => sum + countTerms(each), 0)
}

/** Returns the item that a selection such as `type eq "work"` describes; undefined for other selections. */
function itemFromSelection(selection: ScimFilter): MutableObject | undefined {
  const terms = 'all' in selection ? selection.all : [selection]
  const item: MutableObject = {}
  for (const term of terms) {
    const isEquality = 'path' in term && term.operator === 'eq' && term.value !== null
    if (!isEquality || (term.path !== 'type' && term.path !== 'primary')) return undefined
    item[term.path] = term.value
  }
  return item
}

function notMutable(detail: string): ScimMistake {
  return { scimType: 'mutability', detail }
}

function invalid(detail: string): ScimMistake {
  return { scimType: 'invalidValue', detail }
}
