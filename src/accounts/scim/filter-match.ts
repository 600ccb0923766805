import { type Filter, itemwise, readInstant, type Term } from './filter.ts'
import { chainAt, itemAttributes } from './path.ts'
import { type Attribute, userResource } from './schema.ts'

export type Members = { readonly [name: string]: unknown }

/** Whether a resource is meant, or an item of a list, which has these attributes. */
export function matches(filter: Filter, resource: Members, among: readonly Attribute[] = userResource): boolean {
  if ('all' in filter) return filter.all.every((each) => matches(each, resource, among))
  if ('any' in filter) return filter.any.some((each) => matches(each, resource, among))
  if ('not' in filter) return !matches(filter.not, resource, among)
  if (!('some' in filter)) {
    const spread = itemwise(filter, among)
    return spread ? matches(spread, resource, among) : holds(filter, resource, among)
  }
  const list = chainAt(filter.some, among).at(-1)!
  const items = valueAt(resource, filter.some)
  return Array.isArray(items) && items.some((item) => matchesItem(filter.of, item, list))
}

/** Whether an item of that list is meant; one that is a plain text is its `value`. */
export function matchesItem(filter: Filter, item: unknown, list: Attribute): boolean {
  return matches(filter, (list.subAttributes ? item : { value: item }) as Members, itemAttributes(list))
}

function holds(term: Term, resource: Members, among: readonly Attribute[]): boolean {
  const value = valueAt(resource, term.path)
  if (term.operator === 'pr') return isPresent(value)
  if (term.value === null) return isPresent(value) === (term.operator === 'ne')
  if (term.operator === 'ne') return !holds({ ...term, operator: 'eq' }, resource, among)
  const { type, caseExact } = chainAt(term.path, among).at(-1)!
  if (type === 'boolean') return value === term.value
  if (typeof value !== 'string') return false
  const wanted = term.value as string
  if (type === 'dateTime') return isOrdered(readInstant(value)! - readInstant(wanted)!, term.operator)
  return compares(caseExact ? value : folded(value), term.operator, caseExact ? wanted : folded(wanted))
}

function compares(value: string, operator: Exclude<Term['operator'], 'pr'>, wanted: string): boolean {
  switch (operator) {
    case 'co':
      return value.includes(wanted)
    case 'sw':
      return value.startsWith(wanted)
    case 'ew':
      return value.endsWith(wanted)
    default:
      // Bytes of UTF-8 are in the order of code points, as the database has it.
      return isOrdered(Buffer.compare(Buffer.from(value), Buffer.from(wanted)), operator)
  }
}

function isOrdered(difference: number, operator: Term['operator']): boolean {
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

/** Neither missing nor empty. */
function isPresent(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false
  return !Array.isArray(value) || value.length > 0
}

function valueAt(resource: Members, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => (value as Members | undefined)?.[name], resource)
}

/** A to Z as a to z: the same texts on every database, whatever its language. */
export function folded(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
