import { parseJson } from '../../base/parse-json.ts'
import type { Json } from '../../people/values/values.ts'
import { coerce } from './coerce.ts'
import type { CsvCell, CsvRecord } from './csv-records.ts'
import type { NewField } from './read-fields.ts'
import type { Field, FieldType } from './schema.ts'

/** In this order a type is proposed for a column: the first one that all values fit. A text fits everything. */
const proposedTypes: readonly FieldType[] = ['number', 'boolean', 'time', 'geo', 'array', 'object']

/** What the header of a file says about a catalog. With mistakes, no line of the file can be read. */
export type CsvColumns = {
  readonly mistakes: readonly string[]
  readonly unknown: readonly string[]
  /** Names of fields for which the file has no column. */
  readonly absent: readonly string[]
}

/** Compares a header with the fields of a catalog. `more`: fields that the import makes. Pure. */
export function readColumns(
  header: readonly string[],
  fields: readonly Pick<Field, 'name' | 'type'>[],
  more: readonly NewField[],
): CsvColumns {
  const known = new Set([...fields, ...more].map(({ name }) => name))
  const unknown = [...new Set(header.filter((name) => name !== '' && !known.has(name)))]
  const twice = [...new Set(header.filter((name, i) => name !== '' && header.indexOf(name) < i))]
  const types = new Map(fields.map(({ name, type }) => [name, type]))
  const mistakes = [
    ...(header.includes('id') ? [] : ["The header has no column 'id'"]),
    ...(header.includes('') ? ['A column of the header has no name'] : []),
    ...twice.map((name) => `The header has the column '${name}' more than once`),
    ...unknown.map((name) => `The catalog has no field '${name}'. Make this field, or remove the column from the file`),
    ...more
      .filter(({ name, type }) => types.has(name) && types.get(name) !== type)
      .map(({ name }) => `The catalog has a field '${name}' already, of type ${types.get(name)}`),
  ]
  const absent = fields.map(({ name }) => name).filter((name) => !header.includes(name))
  return { mistakes, unknown, absent: absent.filter((name) => name !== 'id') }
}

/** Proposes the type of a field that is made of a column, by its values. Pure. */
export function proposeType(header: readonly string[], name: string, records: readonly CsvRecord[]): FieldType {
  const at = header.indexOf(name)
  const cells = records.flatMap(({ cells }) => (cells[at] === undefined || cells[at].text === '' ? [] : [cells[at]]))
  if (cells.length === 0) return 'string'
  const fits = (type: FieldType) => cells.every((cell) => coerce(type, cellValue(type, cell)).problem === undefined)
  return proposedTypes.find(fits) ?? 'string'
}

/** Returns the value of a cell for a field of a type; null for an empty cell, but a text without characters when it is in quotes. Pure. */
export function cellValue(type: FieldType, { text, isQuoted }: CsvCell): Json | undefined {
  if (type === 'string') return text === '' && !isQuoted ? null : text
  const given = text.trim()
  if (given === '') return null
  if (type === 'boolean') return given.toLowerCase()
  if (type === 'number' || type === 'time') return given
  return tryJson(given)
}

/** Returns undefined for a text that is no JSON: that fits no type. `null` in quotes is no value, as in JSON. */
function tryJson(text: string): Json | undefined {
  try {
    return parseJson(text) as Json
  } catch {
    // Engines throw a SyntaxError; the line is refused because nothing fits undefined.
    return undefined
  }
}
