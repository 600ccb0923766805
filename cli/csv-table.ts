import type { Client } from './client.ts'
import { type Shell, say, UsageError } from './command.ts'
import { type CsvRecord, readCsv } from './csv.ts'
import { type Column, formatTarget, mapColumns, objectOf, readMap } from './mapping.ts'
import { formatCount } from './progress.ts'
import type { TrackItem } from './track.ts'

/** The most values of a column in a preview, and the most characters of each. */
const samplesMax = 3
const sampleCharactersMax = 40
/** The most people that a preview looks up, and the most in one request (specification 8). */
const lookedUpMax = 500
const idsPerRequest = 50

/** A CSV file of people. Its first line has been read. */
export type PeopleTable = { columns: readonly Column[]; textOnly: boolean; rows: AsyncGenerator<CsvRecord> }

/** Reads the header and maps its columns. `map` has the values of `--map`, each of them `HEADER=TARGET` separated by commas. */
export async function openPeopleTable(
  text: AsyncIterable<string>,
  map: readonly string[],
  textOnly: boolean,
): Promise<PeopleTable> {
  const { headers, given, rows } = await openCsvTable(text, map)
  const columns = mapColumns(headers, given)
  if (typeof columns === 'string') throw new UsageError(`${columns}${hintFor(headers)}`)
  return { columns, textOnly, rows }
}

/** A CSV file, of which the first line has been read, with the targets of its columns in `--map`. */
export type CsvTable = {
  readonly headers: readonly string[]
  readonly given: ReadonlyMap<string, string>
  readonly rows: AsyncGenerator<CsvRecord>
}

export async function openCsvTable(text: AsyncIterable<string>, map: readonly string[]): Promise<CsvTable> {
  const given = readMap((await Promise.all(map.map(entriesOf))).flat())
  if (typeof given === 'string') throw new UsageError(given)
  const rows = readCsv(text)
  const first = await rows.next()
  const header: CsvRecord = first.done ? { line: 1, problem: 'is empty' } : first.value
  if (header.problem !== undefined) throw new UsageError(`line ${header.line}: ${header.problem}`)
  return { headers: header.fields, given, rows }
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

/** Returns a hint for a file with one column that has another separator. */
export function hintFor(headers: readonly string[]): string {
  return headers.length === 1 && /[;\t]/.test(headers[0]!) ? '; fields must be separated by commas' : ''
}

/** Yields the rows as attributes objects, or their problem. */
export async function* trackItemsOfTable({ columns, textOnly, rows }: PeopleTable): AsyncGenerator<TrackItem> {
  for await (const { line: number, ...row } of rows) {
    const fields = row.problem === undefined ? objectOf(columns, row.fields, textOnly) : row.problem
    yield typeof fields === 'string' ? { number, problem: fields } : { number, array: 'attributes', fields }
  }
}

/** Prints what the file would change. Sends only requests that read. */
export async function previewPeopleTable(sheet: PeopleTable, client: Client, shell: Shell): Promise<void> {
  const { columns, textOnly } = sheet
  const samples = columns.map((): string[] => [])
  const lookedUp: Record<string, unknown>[] = []
  let rows = 0
  let bad = 0
  for await (const row of sheet.rows) {
    rows++
    const fields = row.problem === undefined ? objectOf(columns, row.fields, textOnly) : row.problem
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
  for (const [i, { header, target }] of columns.entries()) {
    const examples = samples[i]!.map((cell) => JSON.stringify(cell.slice(0, sampleCharactersMax))).join(' ')
    say(shell, `  ${header.padEnd(width)}  ${formatTarget(target).padEnd(targets)}  ${examples}`.trimEnd())
  }
  say(shell, `${formatCount(rows)} rows, ${formatCount(bad)} of them cannot be read.`)
  say(shell, await countNew(lookedUp, client))
}

/** Describes how many of the rows are about new people, if the key may export. */
async function countNew(rows: readonly Record<string, unknown>[], client: Client): Promise<string> {
  const ids = [...new Set(rows.flatMap(({ external_id }) => (typeof external_id === 'string' ? [external_id] : [])))]
  if (ids.length === 0) return 'Whether these people exist already is not known: only external_ids are looked up.'
  let newCount = 0
  for (let at = 0; at < ids.length; at += idsPerRequest) {
    const external_ids = ids.slice(at, at + idsPerRequest)
    const { status, body } = await client.send('POST', '/users/export/ids', {
      external_ids,
      fields_to_export: ['external_id'],
    })
    if (status !== 201) return `Whether these people exist already is not known: ${body.message}`
    newCount += ((body.invalid_user_ids ?? []) as string[]).length
  }
  const [all, added, existing] = [ids.length, newCount, ids.length - newCount].map(formatCount)
  return `Of the first ${all} external_ids, ${added} are new and ${existing} exist already.`
}
