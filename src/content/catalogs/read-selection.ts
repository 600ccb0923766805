import { isObject } from '../../people/values/values.ts'
import { coerce, valueCharacters } from './coerce.ts'
import { isCatalogName } from './read-items.ts'
import { type Refusal, type RefusalId, refusal } from './refusals.ts'
import {
  type Field,
  type FieldType,
  type Filter,
  filteredCharactersMax,
  filtersMax,
  nameCharactersMax,
  resultsMax,
  type Selection,
} from './schema.ts'

/** The operators of each field type, and the type of value that each compares with (contract 4.9.3). */
export const operators: Readonly<Record<FieldType, Readonly<Record<string, FieldType>>>> = {
  string: { equals: 'string', 'does not equal': 'string' },
  number: { equals: 'number', 'does not equal': 'number', 'greater than': 'number', 'less than': 'number' },
  boolean: { is: 'boolean' },
  time: { before: 'time', after: 'time' },
  array: { 'includes value': 'string', 'does not include value': 'string' },
  object: {},
  geo: {},
}

const sortable: ReadonlySet<FieldType> = new Set(['string', 'number', 'boolean', 'time'])

export type ReadSelection = { readonly selection: Selection; readonly refusals: readonly Refusal[] }

type Given = Readonly<Record<string, unknown>>
type UncheckedSelection = { readonly [member in keyof Selection]: unknown }
type FieldsByName = ReadonlyMap<string, Field>

/** Reads `selection` of a body, with all refusals. `fields` are those of its catalog. Pure. */
export function readSelection(body: unknown, fields: readonly Field[]): ReadSelection {
  const given = isObject(body) && isObject(body.selection) ? body.selection : undefined
  if (given === undefined) return { selection: emptySelection, refusals: [refusal('invalid-selection')] }
  const known = new Map(fields.map((field) => [field.name, field]))
  const { filters, refusals } = readFilters(given.filters ?? [], known)
  const { name, sort_field = null, sort_order = null } = given
  const description = given.description ?? ''
  const results_limit = given.results_limit ?? resultsMax
  const read: UncheckedSelection = { name, description, filters, results_limit, sort_field, sort_order }
  const selection = read as Selection
  return { selection, refusals: [...headProblems(selection), ...refusals, ...orderProblems(selection, known)] }
}

// The members have not been checked yet and may have any type.

function headProblems({ name, description }: { name: unknown; description: unknown }): Refusal[] {
  const isText = typeof description === 'string' && coerce('string', description).problem === undefined
  return [
    ...(typeof name === 'string' && isCatalogName(name) ? [] : [refusal('invalid-selection', { name })]),
    ...(isText && valueCharacters(description) <= nameCharactersMax
      ? []
      : [refusal('invalid-selection', { description })]),
  ]
}

function readFilters(given: unknown, known: FieldsByName): { filters: Filter[]; refusals: Refusal[] } {
  if (!Array.isArray(given)) return { filters: [], refusals: [refusal('invalid-selection', { filters: given })] }
  if (given.length > filtersMax) return { filters: [], refusals: [refusal('too-many-filters')] }
  const read = given.map((each) => readFilter(each, known))
  const filters = read.filter((each): each is Filter => !isRefusal(each))
  const refusals = read.filter(isRefusal)
  const arrays = new Set(filters.map(({ field }) => field).filter((field) => known.get(field)!.type === 'array'))
  if (arrays.size > 1) refusals.push(refusal('selection-contains-too-many-arrays'))
  return { filters, refusals }
}

function readFilter(given: unknown, known: FieldsByName): Filter | Refusal {
  const { field, operator, value } = isObject(given) ? given : {}
  const bad = refusal('selection-has-invalid-filter', { field, operator })
  const type = typeof field === 'string' ? known.get(field)?.type : undefined
  if (type === undefined || typeof operator !== 'string' || !Object.hasOwn(operators[type], operator)) return bad
  const coerced = coerce(operators[type][operator]!, value ?? null)
  if (coerced.problem !== undefined || coerced.value === null) return bad
  if (valueCharacters(coerced.value) > filteredCharactersMax) return bad
  return { field: field as string, operator, value: coerced.value }
}

function orderProblems(given: Given, known: FieldsByName): Refusal[] {
  const { results_limit, sort_field, sort_order } = given
  const isCount = typeof results_limit === 'number' && Number.isInteger(results_limit)
  const problems: RefusalId[] = sortProblems(sort_field, sort_order, known)
  return [
    ...(isCount && results_limit >= 1 && results_limit <= resultsMax
      ? []
      : [refusal('selection-invalid-results-limit', { results_limit })]),
    ...problems.map((id) => refusal(id, { sort_field, sort_order })),
  ]
}

function sortProblems(field: unknown, order: unknown, known: FieldsByName): RefusalId[] {
  if ((field === null) !== (order === null)) return ['invalid-sorting']
  if (field === null) return []
  const type = typeof field === 'string' ? known.get(field)?.type : undefined
  return [
    ...(type !== undefined && sortable.has(type) ? [] : (['invalid-sort-field'] as const)),
    ...(order === 'asc' || order === 'desc' ? [] : (['invalid-sort-order'] as const)),
  ]
}

function isRefusal(read: Filter | Refusal): read is Refusal {
  return 'parameters' in read
}

const emptySelection: Selection = {
  name: '',
  description: '',
  filters: [],
  results_limit: 0,
  sort_field: null,
  sort_order: null,
}
