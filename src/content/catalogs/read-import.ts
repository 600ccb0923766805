import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import { importBytesMax, importLinesMax } from './admin-schema.ts'
import { type CsvRecord, findSeparator, readCsv, type Separator, separators, withoutMark } from './csv-records.ts'
import { type NewField, readFields } from './read-fields.ts'
import { refuse } from './refusals.ts'
import { newFieldsMax } from './schema.ts'

/** A part of a CSV file, as a request for an import has it. */
export type ImportPart = {
  readonly separator: Separator
  readonly header: readonly string[]
  readonly records: readonly CsvRecord[]
  /** The line on which the header stands, as far as the request says. */
  readonly first_line: number
  readonly next_line: number
  readonly new_fields: readonly NewField[]
  /** How many items the parts before this one would make. Only a plan uses it. */
  readonly madeBefore: number
  readonly earlier: ReadonlyMap<string, number>
}

/** Reads the body of a request for an import. Throws 400. Pure. */
export function readImport(body: unknown): ImportPart {
  if (!isObject(body) || typeof body.csv !== 'string') throw invalid("'csv' must be a text: a part of a CSV file")
  if (Buffer.byteLength(body.csv) > importBytesMax) {
    throw invalid(`'csv' can have at most ${importBytesMax} bytes; send the file in parts of whole lines`)
  }
  const first_line = readFirstLine(body.first_line)
  const text = first_line === 1 ? withoutMark(body.csv) : body.csv
  const given = readHeader(body.header)
  const separator = readSeparator(body.separator, text, given === undefined)
  const { records, next_line } = readRecords(text, separator, first_line)
  const [first] = records
  return {
    separator,
    header: given ?? first?.cells.map((cell) => cell.text.trim()) ?? [],
    records: given === undefined ? records.slice(1) : records,
    first_line: given === undefined ? (first?.line ?? first_line) : first_line,
    next_line,
    new_fields: readNewFields(body.new_fields),
    ...readEarlier(body.earlier, first_line),
  }
}

function readRecords(text: string, separator: Separator, first_line: number) {
  const records: CsvRecord[] = []
  const read = readCsv(text, separator, first_line)
  for (;;) {
    const { done, value } = read.next()
    if (done) return { records, next_line: value }
    records.push(value)
    // The header is one line more.
    if (records.length > importLinesMax + 1) {
      throw invalid(`'csv' can have at most ${importLinesMax} lines with items; send the file in parts`)
    }
  }
}

function readFirstLine(given: unknown): number {
  if (given === undefined) return 1
  if (Number.isSafeInteger(given) && (given as number) >= 1) return given as number
  throw invalid("'first_line' must be a whole number from 1: the line of the file on which 'csv' begins")
}

function readHeader(given: unknown): readonly string[] | undefined {
  if (given === undefined) return undefined
  if (Array.isArray(given) && given.length > 0 && given.every((name) => typeof name === 'string')) return given
  throw invalid("'header' must be a list of texts: the header of the file, as the answer to its first part has it")
}

function readSeparator(given: unknown, text: string, isFirst: boolean): Separator {
  if (given === undefined && isFirst) return findSeparator(text)
  const known = separators.find((separator) => separator === given)
  if (known !== undefined) return known
  throw invalid("'separator' must be a comma, a semicolon or a tab; a part with 'header' needs it")
}

function readNewFields(given: unknown): readonly NewField[] {
  if (given === undefined || (Array.isArray(given) && given.length === 0)) return []
  const tooMany = { count: newFieldsMax, id: 'request-includes-too-many-fields' } as const
  const { fields, refusals } = readFields(given, tooMany, [])
  if (refusals.length > 0) throw refuse(refusals)
  return fields
}

function readEarlier(given: unknown, first_line: number): Pick<ImportPart, 'madeBefore' | 'earlier'> {
  if (given === undefined) return { madeBefore: 0, earlier: new Map() }
  const { made = 0, ids = [] } = isObject(given) ? given : { made: -1 }
  const isRead = Number.isSafeInteger(made) && (made as number) >= 0 && Array.isArray(ids) && ids.every(isIdLine)
  if (!isRead)
    throw invalid("'earlier' must be an object with 'made' and 'ids', as the answers to earlier parts have them")
  const before = (ids as readonly IdLine[]).filter(({ line }) => line < first_line)
  return { madeBefore: made as number, earlier: new Map(before.map(({ id, line }) => [id, line])) }
}

type IdLine = { readonly id: string; readonly line: number }

function isIdLine(given: unknown): given is IdLine {
  return isObject(given) && typeof given.id === 'string' && Number.isSafeInteger(given.line)
}
