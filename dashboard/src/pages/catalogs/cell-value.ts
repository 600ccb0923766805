import type { GetAdminCatalogsIdItemsReply, GetAdminCatalogsIdReply } from '../../api/generated.ts'
import { parseExactly } from '../../words/exact-json.ts'

export type Field = GetAdminCatalogsIdReply['catalog']['fields'][number]
export type FieldType = Field['type']
export type CatalogItem = GetAdminCatalogsIdItemsReply['items'][number]

/** Types whose values are edited as JSON. */
const jsonTypes: ReadonlySet<FieldType> = new Set(['object', 'array', 'geo'])

/** Returns a value as a cell shows it. No value is an empty text. */
export function textOfValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** Returns what a cell sends for a typed text. The server decides whether it fits the type: a text that is no JSON is sent as it is. */
export function valueOfText(type: FieldType, text: string): unknown {
  if (type === 'string') return text === '' ? null : text
  const given = text.trim()
  if (given === '') return null
  return jsonTypes.has(type) ? parsedOr(given) : given
}

function parsedOr(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    // The server says what the field needs.
    return text
  }
}
