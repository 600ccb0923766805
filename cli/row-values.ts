import type { TextRow } from '../src/base/db/sql.ts'
import { parseJson } from '../src/base/parse-json.ts'

/** How a value is written in JSON, by the type oid of PostgreSQL. All other types are texts. */
const kinds: ReadonlyMap<string, Kind> = new Map([
  ['16', 'boolean'],
  ...(['20', '21', '23', '26', '700', '701', '1700'] as const).map((oid) => [oid, 'number'] as const),
  ['114', 'json'],
  ['3802', 'json'],
  ['1184', 'instant'],
])

type Kind = 'boolean' | 'number' | 'json' | 'instant' | 'text'
export type Column = { readonly name: string; readonly kind: Kind }

const plainNumber = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/
const utcInstant = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)\+00$/

/** Returns columns from their names and type oids. A name that occurs again gets a number, so that an object has every value. */
export function namedColumns(names: TextRow, types: TextRow): Column[] {
  const used = new Set<string>()
  return names.map((given, i) => {
    let name = given!
    for (let n = 2; used.has(name); n++) name = `${given}_${n}`
    used.add(name)
    return { name, kind: kinds.get(types[i]!) ?? 'text' }
  })
}

/** Returns a value as people read it and as a table of a spreadsheet has it. */
export function plainText({ kind }: Column, text: string | null): string | null {
  if (text === null) return null
  if (kind === 'boolean') return text === 't' ? 'true' : 'false'
  return kind === 'instant' ? isoText(text) : text
}

/** Returns a value for `JSON.stringify`, with every digit of a number. */
export function jsonValue(column: Column, text: string | null): unknown {
  if (text === null) return null
  if (column.kind === 'boolean') return text === 't'
  // NaN and infinities are texts: JSON does not have them.
  if (column.kind === 'number') return plainNumber.test(text) ? JSON.rawJSON(text) : text
  return column.kind === 'json' ? parseJson(text) : plainText(column, text)
}

/** Returns a row as a JSON object, exactly as the database has its values. */
export function rowJson(columns: readonly Column[], row: TextRow): string {
  const members = columns.map((column, i) => {
    const text = row[i]!
    const isJson = column.kind === 'json' && text !== null
    return `${JSON.stringify(column.name)}:${isJson ? text : JSON.stringify(jsonValue(column, text))}`
  })
  return `{${members.join(',')}}`
}

/** Returns a row as an object, for `--json`. */
export function rowObject(columns: readonly Column[], row: TextRow): Record<string, unknown> {
  return Object.fromEntries(columns.map((column, i) => [column.name, jsonValue(column, row[i]!)]))
}

/** Returns `2026-08-01 10:00:00.5+00` as `2026-08-01T10:00:00.5Z`. Infinity and years before Christ stay as they are. */
function isoText(text: string): string {
  return text.replace(utcInstant, '$1T$2Z')
}
