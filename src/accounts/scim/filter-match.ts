import { type FilterTerm, overItems, parseDateTime, type ScimFilter } from './filter.ts'
import { getChain, itemAttributes } from './path.ts'
import { type Attribute, userResource } from './schema.ts'

export type ScimObject = { readonly [name: string]: unknown }

/** Whether a filter matches a resource, or an item of a list, with these attributes. */
export function matchesFilter(
  filter: ScimFilter,
  resource: ScimObject,
  among: readonly Attribute[] = userResource,
): boolean {
  if ('all' in filter) return filter.all.every((each) => matchesFilter(each, resource, among))
  if ('any' in filter) return filter.any.some((each) => matchesFilter(each, resource, among))
  if ('not' in filter) return !matchesFilter(filter.not, resource, among)
  if (!('some' in filter)) {
    const spread = overItems(filter, among)
    return spread ? matchesFilter(spread, resource, among) : matchesTerm(filter, resource, among)
  }
  const list = getChain(filter.some, among).at(-1)!
  const items = valueAt(resource, filter.some)
  return Array.isArray(items) && items.some((item) => matchesItem(filter.of, item, list))
}

/** Whether a filter matches an item of a list. An item that is plain text is treated as its `value`. */
export function matchesItem(filter: ScimFilter, item: unknown, list: Attribute): boolean {
  return matchesFilter(filter, (list.subAttributes ? item : { value: item }) as ScimObject, itemAttributes(list))
}

function matchesTerm(term: FilterTerm, resource: ScimObject, among: readonly Attribute[]): boolean {
  const value = valueAt(resource, term.path)
  if (term.operator === 'pr') return isPresent(value)
  if (term.value === null) return isPresent(value) === (term.operator === 'ne')
  if (term.operator === 'ne') return !matchesTerm({ ...term, operator: 'eq' }, resource, among)
  const { type, caseExact } = getChain(term.path, among).at(-1)!
  if (type === 'boolean') return value === term.value
  if (typeof value !== 'string') return false
  const wanted = term.value as string
  if (type === 'dateTime') return isOrdered(parseDateTime(value)! - parseDateTime(wanted)!, term.operator)
  return compares(caseExact ? value : lowerAscii(value), term.operator, caseExact ? wanted : lowerAscii(wanted))
}

function compares(value: string, operator: Exclude<FilterTerm['operator'], 'pr'>, wanted: string): boolean {
  switch (operator) {
    case 'co':
      return value.includes(wanted)
    case 'sw':
      return value.startsWith(wanted)
    case 'ew':
      return value.endsWith(wanted)
    default:
      // The order of UTF-8 bytes is the order of the database (collation C).
      return isOrdered(Buffer.compare(Buffer.from(value), Buffer.from(wanted)), operator)
  }
}

function isOrdered(difference: number, operator: FilterTerm['operator']): boolean {
  switch (operator) {
    case 'gt':
      return difference > 0
    case 'ge':
      return difference >= 0
    case 'lt':
      return difference < 0
    case 'le':
      return difference <= 0
    default:
      return difference === 0
  }
}

function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return !Array.isArray(value) || value.length > 0
}

function valueAt(resource: ScimObject, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as ScimObject | undefined)?.[name], resource)
}

/** Lower-cases A to Z only, as the database does with collation C. */
export function lowerAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
