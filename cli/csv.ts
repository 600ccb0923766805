import { Readable } from 'node:stream'
import { type CsvError, parse } from 'csv-parse'
import { CsvInput } from './csv-input.ts'

/** One record of a CSV text, or the problem with it, the number of its first line, from 1, and its text as it is in the file. */
export type CsvRecord =
  | { line: number; fields: readonly string[]; problem?: undefined; text: string }
  | { line: number; problem: string; text: string }

/** The most bytes of one record in UTF-8. */
export const recordBytesMax = 1024 * 1024
export const fieldsMax = 1_000

const delimiters = [',', ';', '\t', '|']

const problems: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'has text between a closing quote and the next delimiter',
  INVALID_OPENING_QUOTE: 'has a quote in a field that does not begin with one',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_MAX_RECORD_SIZE: `has more than ${recordBytesMax} bytes`,
}

/** Returns the delimiter of a file by its first line: the one that occurs most often outside quotes, else a comma. */
export function delimiterOf(line: string): string {
  const outside = line.replaceAll(/"[^"]*"/g, '')
  const counts = delimiters.map((delimiter) => outside.split(delimiter).length)
  return delimiters[counts.indexOf(Math.max(...counts))]!
}

/** What the parser found: a record, or the error in one. `lines` and `empty_lines` count up to its end. */
type Found = {
  readonly info: { readonly bytes: number; readonly lines: number; readonly empty_lines: number }
  readonly record?: readonly string[]
  readonly error?: CsvError
}

/**
 * Reads CSV according to RFC 4180, with any delimiter. Empty lines are skipped. A malformed record is a problem, and reading continues with
 * the line after the error. The parser cannot continue there, so another one is started.
 */
export async function* readCsv(text: AsyncIterable<string>, delimiter = ','): AsyncGenerator<CsvRecord> {
  const input = new CsvInput(text)
  for (let failed = true; failed; ) {
    failed = false
    let [lines, empty] = [0, 0]
    const { parser, isBroken } = openParser(delimiter)
    const source = Readable.from(input.pieces(isBroken), { highWaterMark: 1 })
    source.on('error', (error) => parser.destroy(error)).pipe(parser)
    for await (const { info, record, error } of parser as AsyncIterable<Found>) {
      if (error !== undefined) {
        source.unpipe(parser)
        const skipped = await input.skipRecord(info.lines - 1 - lines - (info.empty_lines - empty))
        yield { ...skipped, problem: problems[error.code] ?? error.message }
        failed = true
        break
      }
      const { line, bytes, text } = input.takeRecord(info.bytes)
      lines = info.lines
      empty = info.empty_lines
      yield recordOf(line, bytes, text, record!)
    }
  }
}

function recordOf(line: number, bytes: number, text: string, fields: readonly string[]): CsvRecord {
  if (bytes > recordBytesMax) return { line, problem: problems.CSV_MAX_RECORD_SIZE!, text }
  return fields.length > fieldsMax
    ? { line, problem: `has more than ${fieldsMax} fields`, text }
    : { line, fields, text }
}

function openParser(delimiter: string) {
  let broken = false
  const parser = parse({
    delimiter,
    info: true,
    record_delimiter: ['\r\n', '\n'],
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: recordBytesMax,
    skip_records_with_error: true,
    on_skip(error) {
      // What follows the first error is not read by this parser.
      if (!broken && error) parser.push({ info: { ...parser.info, ...error }, error })
      broken = true
      return undefined
    },
  })
  return { parser, isBroken: () => broken }
}
