import { Failure } from '../src/base/errors.ts'
import type { Client } from './client.ts'
import { type Outcome, UsageError } from './command.ts'
import { type CsvRecord, delimiterOf, readCsv, recordBytesMax } from './csv.ts'
import { type CellOptions, type Column, formatTarget, mapColumns, objectOf, readMap } from './mapping.ts'
import { formatCount } from './progress.ts'
import { peek } from './source.ts'
import type { TrackItem } from './track.ts'

/** The most values of a column in a preview, and the most characters of each. */
const samplesMax = 3
const sampleCharactersMax = 40
/** The most people that a preview looks up, and the most in one request (specification 8). */
const lookedUpMax = 500
const idsPerRequest = 50

/** A CSV file of people. Its first line has been read. */
export type PeopleTable = { columns: readonly Column[]; cells: CellOptions; rows: AsyncGenerator<CsvRecord> }

/** Reads the header and maps its columns. `map` has the values of `--map`, each of them `HEADER=TARGET` separated by commas. */
export async function openPeopleTable(
  text: AsyncIterable<string>,
  map: readonly string[],
  cells: CellOptions,
): Promise<PeopleTable> {
  const { headers, given, rows } = await openCsvTable(text, map)
  const columns = mapColumns(headers, given)
  if (typeof columns === 'string') throw new UsageError(columns)
  return { columns, cells, rows }
}

/** A CSV file, of which the first line has been read, with the targets of its columns in `--map`. */
export type CsvTable = {
  readonly headers: readonly string[]
  /** The targets in `--map` by header. */
  readonly given: ReadonlyMap<string, string>
  readonly rows: AsyncGenerator<CsvRecord>
}

/** Reads the first line, which has the headers, with the delimiter that fits it. */
export async function openCsvTable(text: AsyncIterable<string>, map: readonly string[]): Promise<CsvTable> {
  const given = readMap((await Promise.all(map.map(entriesOf))).flat())
  if (typeof given === 'string') throw new UsageError(given)
  const { start, text: all } = await peek(text, recordBytesMax)
  const [line = ''] = start.trimStart().split(/\r?\n/)
  const rows = readCsv(all, delimiterOf(line))
  const first = await rows.next()
  const header: CsvRecord = first.done ? { line: 1, problem: 'is empty' } : first.value
  if (header.problem !== undefined) throw new UsageError(`line ${header.line}: ${header.problem}`)
  return { headers: header.fields, given: withHeaders(header.fields, given), rows }
}

/** Names the entries of `--map` as the headers are written: a header is found without regard to case when it is the only one. */
function withHeaders(headers: readonly string[], given: ReadonlyMap<string, string>): Map<string, string> {
  const named = [...given].map(([name, target]): [string, string] => {
    const alike = headers.filter((header) => header.toLowerCase() === name.toLowerCase())
    return [headers.includes(name) || alike.length !== 1 ? name : alike[0]!, target]
  })
  return new Map(named)
}

/** Splits the value of the option, which is a CSV record, so that a header may contain a comma. */
async function entriesOf(map: string): Promise<readonly string[]> {
  const { value } = await readCsv(piecesOf(map)).next()
  if (value === undefined || value.problem !== undefined) throw new UsageError(`--map ${value?.problem ?? 'is empty'}`)
  return value.fields
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text
}

/** Yields the rows as attributes objects, or their problem. */
export async function* trackItemsOfTable({ columns, cells, rows }: PeopleTable): AsyncGenerator<TrackItem> {
  for await (const { line: number, ...row } of rows) {
    const fields = row.problem === undefined ? objectOf(columns, row.fields, cells) : row.problem
    yield typeof fields === 'string' ? { number, problem: fields } : { number, array: 'attributes', fields }
  }
}

/** Describes the target of each column. */
export function describeColumns({ columns }: PeopleTable): string {
  return columns.map(({ header, target }) => `${JSON.stringify(header)} -> ${formatTarget(target)}`).join(', ')
}

/** Describes what the file would change. Sends only requests that read. */
export async function previewPeopleTable(sheet: PeopleTable, client: Client): Promise<Outcome> {
  const { columns, cells } = sheet
  const samples = columns.map((): string[] => [])
  const lookedUp: Record<string, unknown>[] = []
  let rows = 0
  let bad = 0
  for await (const row of sheet.rows) {
    rows++
    const fields = row.problem === undefined ? objectOf(columns, row.fields, cells) : row.problem
    if (typeof fields === 'string' || row.problem !== undefined) {
      bad++
      continue
    }
    if (lookedUp.length < lookedUpMax) lookedUp.push(fields)
    for (const [i, cell] of row.fields.entries()) {
      const own = samples[i]!
      if (cell !== '' && own.length < samplesMax && !own.includes(cell)) own.push(cell)
    }
  }
  const width = Math.max(...columns.map(({ header }) => header.length))
  const targets = Math.max(...columns.map(({ target }) => formatTarget(target).length))
  const lines = columns.map(({ header, target }, i) => {
    const examples = samples[i]!.map((cell) => JSON.stringify(cell.slice(0, sampleCharactersMax))).join(' ')
    return `  ${header.padEnd(width)}  ${formatTarget(target).padEnd(targets)}  ${examples}`.trimEnd()
  })
  const people = await lookUp(lookedUp, client)
  const counts = `${formatCount(rows)} rows, ${formatCount(bad)} of them cannot be read.`
  const mapped = columns.map(({ header, target }, i) => ({
    header,
    target: formatTarget(target),
    examples: samples[i]!.map((cell) => cell.slice(0, sampleCharactersMax)),
  }))
  return {
    result: { columns: mapped, rows, unreadable: bad, ...people.result },
    text: [...lines, counts, people.text].join('\n'),
    failed: bad > 0,
  }
}

/**
 * Describes how many of the rows are about new people, if the key may export. Throws when the server refuses the key, which would also
 * refuse the import.
 */
async function lookUp(
  rows: readonly Record<string, unknown>[],
  client: Client,
): Promise<{ result: object; text: string }> {
  const ids = [...new Set(rows.flatMap(({ external_id }) => (typeof external_id === 'string' ? [external_id] : [])))]
  let newCount = 0
  // Without ids the request is not valid, but its answer shows whether the key is.
  for (let at = 0; at < Math.max(ids.length, 1); at += idsPerRequest) {
    const external_ids = ids.slice(at, at + idsPerRequest)
    const { status, body } = await client.send('POST', '/users/export/ids', {
      external_ids,
      fields_to_export: ['external_id'],
    })
    if (status === 403) return unknownPeople(String(body.message))
    if (status === 201) newCount += ((body.invalid_user_ids ?? []) as string[]).length
    else if (ids.length > 0 || status === 401)
      throw new Failure('invalid', `the server at ${client.origin} answered ${status}: ${body.message}`)
  }
  if (ids.length === 0) return unknownPeople('only external_ids are looked up.')
  const [all, added, existing] = [ids.length, newCount, ids.length - newCount].map(formatCount)
  return {
    result: { looked_up: ids.length, new: newCount },
    text: `Of the first ${all} external_ids, ${added} are new and ${existing} exist already.`,
  }
}

function unknownPeople(why: string): { result: object; text: string } {
  return { result: { looked_up: 0 }, text: `Whether these people exist already is not known: ${why}` }
}
