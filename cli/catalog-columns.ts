import { isAnyNumber } from '../src/base/exact-number.ts'
import { coerce, valueCharacters } from '../src/content/catalogs/coerce.ts'
import { isCatalogName } from '../src/content/catalogs/read-items.ts'
import { type FieldType, itemCharactersMax } from '../src/content/catalogs/schema.ts'
import type { Json } from '../src/people/values/values.ts'
import type { CsvRecord } from './csv.ts'
import { tryParseJson } from './json-objects.ts'
import { guessValue } from './mapping.ts'
import { formatCount } from './progress.ts'

export type CatalogField = { readonly name: string; readonly type: FieldType }

/** A column of a CSV file and its field in a catalog; a column without a field is ignored. */
export type CatalogColumn = { readonly header: string; readonly field: CatalogField | undefined }

export type CatalogItem = { readonly id: string } & { readonly [field: string]: Json }

/** An item with the number of its line, or the problem with that line. */
export type ItemLine =
  | { readonly number: number; readonly item: CatalogItem; readonly problem?: undefined }
  | { readonly number: number; readonly problem: string }

const typeDescriptions: Readonly<Record<FieldType, string>> = {
  string: 'text without NUL',
  number: 'a number',
  boolean: 'true or false',
  time: 'a time such as 2024-05-31T12:00:00Z',
  object: 'a JSON object with keys without . and $, at most 50 levels deep',
  array: 'a JSON list of at most 100 texts',
  geo: 'a JSON list of longitude and latitude',
}

/** Maps each header by `given`, else to the field of its name. Returns a text when that is not possible. */
export function mapCatalogColumns(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  fields: readonly CatalogField[],
): CatalogColumn[] | string {
  const missing = [...given.keys()].find((header) => !headers.includes(header))
  if (missing !== undefined)
    return `--map: there is no column ${JSON.stringify(missing)}; there are ${headers.join(', ')}`
  const columns: CatalogColumn[] = []
  for (const header of headers) {
    const name = given.get(header) ?? header
    const field = fieldNamed(name, fields)
    if (field === undefined && name !== '-') {
      const known = fields.map((each) => each.name).join(', ')
      const hint = `map it to one, or leave it out with --map ${JSON.stringify(`${header}=-`)}`
      return `${JSON.stringify(name)} is not a field of the catalog, which has ${known}: ${hint}`
    }
    if (field !== undefined && columns.some((other) => other.field === field))
      return `two columns are mapped to ${field.name}`
    columns.push({ header, field })
  }
  return columns.some(({ field }) => field?.name === 'id')
    ? columns
    : 'no column is mapped to id: map one with --map HEADER=id'
}

/** Finds a field by its name, or without regard to case when only one is alike. */
function fieldNamed(name: string, fields: readonly CatalogField[]): CatalogField | undefined {
  const alike = fields.filter((each) => each.name.toLowerCase() === name.toLowerCase())
  return fields.find((each) => each.name === name) ?? (alike.length === 1 ? alike[0] : undefined)
}

/** Returns the fields of a new catalog: for each column the type that fits all its values, else text. */
export function guessFields(
  headers: readonly string[],
  given: ReadonlyMap<string, string>,
  samples: readonly CsvRecord[],
): CatalogField[] | string {
  const fields: CatalogField[] = [{ name: 'id', type: 'string' }]
  const rows = samples.flatMap((row) => (row.problem === undefined ? [row.fields] : []))
  for (const [i, header] of headers.entries()) {
    const name = given.get(header) ?? header
    if (name === 'id' || name === '-') continue
    if (!isCatalogName(name)) {
      return `${JSON.stringify(name)} cannot be the name of a field, which has letters, digits, hyphens and underscores: map it with --map`
    }
    const cells = rows.map((cells) => cells[i] ?? '').filter((cell) => cell !== '')
    fields.push({ name, type: guessType(cells) })
  }
  return fields
}

function guessType(cells: readonly string[]): FieldType {
  if (cells.length === 0) return 'string'
  if (cells.every((cell) => isAnyNumber(guessValue(cell)))) return 'number'
  const others = ['boolean', 'time', 'array', 'object'] as const
  return others.find((type) => cells.every((cell) => valueIn(type, cell) !== undefined)) ?? 'string'
}

/** Converts a cell to a value of a type. Returns undefined when it does not fit. */
function valueIn(type: FieldType, cell: string): Json | undefined {
  const isJson = type === 'object' || type === 'array' || type === 'geo'
  const given = isJson ? tryParseJson(cell) : type === 'boolean' ? cell.toLowerCase() : cell
  const coerced = coerce(type, given ?? '')
  return coerced.problem === undefined ? coerced.value : undefined
}

/** Converts a row to an item. Empty cells are absent values. */
export function itemLine(columns: readonly CatalogColumn[], row: CsvRecord): ItemLine {
  const { line: number } = row
  if (row.problem !== undefined) return { number, problem: row.problem }
  const cells = row.fields
  if (cells.length !== columns.length) {
    return { number, problem: `has ${cells.length} fields where the first line has ${columns.length}` }
  }
  const values: [string, Json][] = []
  for (const [i, { header, field }] of columns.entries()) {
    const cell = cells[i]!
    if (field === undefined || (cell === '' && field.name !== 'id')) continue
    if (field.name === 'id' && !isCatalogName(cell)) {
      return { number, problem: `${header} must have 1 to 250 letters, digits, hyphens or underscores` }
    }
    const value = valueIn(field.type, cell)
    if (value === undefined) return { number, problem: `${header} must be ${typeDescriptions[field.type]}` }
    values.push([field.name, value])
  }
  const characters = values.reduce((sum, [name, value]) => sum + (name === 'id' ? 0 : valueCharacters(value)), 0)
  if (characters > itemCharactersMax) {
    return { number, problem: `has more than ${formatCount(itemCharactersMax)} characters` }
  }
  return { number, item: Object.fromEntries(values) as CatalogItem }
}
