import type { Client } from './client.ts'
import { type CsvRecord, readCsv } from './csv.ts'
import { type Column, mapColumns, objectOf, readMap, targetText } from './mapping.ts'
import { written } from './progress.ts'
import type { TrackItem } from './track.ts'
import { type Shell, say, UsageError } from './verb.ts'

/** Values of a column shown in a preview, and characters of each. */
const samplesMax = 3
const sampleCharactersMax = 40
/** People looked up for a preview, and in one request. Specification 8. */
const askedMax = 500
const idsPerRequest = 50

/** A CSV file whose first line has been read. */
export type Sheet = { columns: readonly Column[]; textOnly: boolean; rows: AsyncGenerator<CsvRecord> }

/** Reads the header and maps its columns. `map`: what `--map` gives, each of them `HEADER=TARGET` with commas between. */
export async function openSheet(
  text: AsyncIterable<string>,
  map: readonly string[],
  textOnly: boolean,
): Promise<Sheet> {
  const { headers, given, rows } = await openTable(text, map)
  const columns = mapColumns(headers, given)
  if (typeof columns === 'string') throw new UsageError(`${columns}${hintFor(headers)}`)
  return { columns, textOnly, rows }
}

/** A CSV file whose first line has been read, and what `--map` says of its columns. */
export type Table = {
  readonly headers: readonly string[]
  readonly given: ReadonlyMap<string, string>
  readonly rows: AsyncGenerator<CsvRecord>
}

export async function openTable(text: AsyncIterable<string>, map: readonly string[]): Promise<Table> {
  const given = readMap((await Promise.all(map.map(entriesOf))).flat())
  if (typeof given === 'string') throw new UsageError(given)
  const rows = readCsv(text)
  const first = await rows.next()
  const header: CsvRecord = first.done ? { line: 1, problem: 'is empty' } : first.value
  if (header.problem !== undefined) throw new UsageError(`line ${header.line}: ${header.problem}`)
  return { headers: header.fields, given, rows }
}

/** The value of an option is a CSV record itself, so that a header may hold a comma. */
async function entriesOf(map: string): Promise<readonly string[]> {
  const { value } = await readCsv(piecesOf(map)).next()
  if (value === undefined || value.problem !== undefined) throw new UsageError(`--map ${value?.problem ?? 'is empty'}`)
  return value.fields
}

async function* piecesOf(text: string): AsyncGenerator<string> {
  yield text
}

/** What may be meant by a file with one column. */
export function hintFor(headers: readonly string[]): string {
  return headers.length === 1 && /[;\t]/.test(headers[0]!) ? '; fields must have commas between them' : ''
}

/** Rows as attributes objects; those that are none say why. */
export async function* itemsOf({ columns, textOnly, rows }: Sheet): AsyncGenerator<TrackItem> {
  for await (const { line: number, ...row } of rows) {
    const fields = row.problem === undefined ? objectOf(columns, row.fields, textOnly) : row.problem
    yield typeof fields === 'string' ? { number, problem: fields } : { number, array: 'attributes', fields }
  }
}

/** Says what the file would do, and sends nothing but questions. */
export async function previewSheet(sheet: Sheet, client: Client, shell: Shell): Promise<void> {
  const { columns, textOnly } = sheet
  const samples = columns.map((): string[] => [])
  const asked: Record<string, unknown>[] = []
  let rows = 0
  let bad = 0
  for await (const row of sheet.rows) {
    rows++
    const fields = row.problem === undefined ? objectOf(columns, row.fields, textOnly) : row.problem
    if (typeof fields === 'string' || row.problem !== undefined) {
      bad++
      continue
    }
    if (asked.length < askedMax) asked.push(fields)
    for (const [i, cell] of row.fields.entries()) {
      const own = samples[i]!
      if (cell !== '' && own.length < samplesMax && !own.includes(cell)) own.push(cell)
    }
  }
  const width = Math.max(...columns.map(({ header }) => header.length))
  const targets = Math.max(...columns.map(({ target }) => targetText(target).length))
  for (const [i, { header, target }] of columns.entries()) {
    const shown = samples[i]!.map((cell) => JSON.stringify(cell.slice(0, sampleCharactersMax))).join(' ')
    say(shell, `  ${header.padEnd(width)}  ${targetText(target).padEnd(targets)}  ${shown}`.trimEnd())
  }
  say(shell, `${written(rows)} rows, ${written(bad)} of them cannot be read.`)
  say(shell, await newcomersIn(asked, client))
}

/** How many of some rows are about people who are not here yet, as far as the key may ask. */
async function newcomersIn(rows: readonly Record<string, unknown>[], client: Client): Promise<string> {
  const ids = [...new Set(rows.flatMap(({ external_id }) => (typeof external_id === 'string' ? [external_id] : [])))]
  if (ids.length === 0) return 'Whether these people are here already was not asked: only external_ids are.'
  let newcomers = 0
  for (let at = 0; at < ids.length; at += idsPerRequest) {
    const external_ids = ids.slice(at, at + idsPerRequest)
    const { status, body } = await client.send('POST', '/users/export/ids', {
      external_ids,
      fields_to_export: ['external_id'],
    })
    if (status !== 201) return `Whether these people are here already was not told: ${body.message}`
    newcomers += ((body.invalid_user_ids ?? []) as string[]).length
  }
  const known = ids.length - newcomers
  return `Of the first ${written(ids.length)} external_ids ${written(newcomers)} are new, ${written(known)} are here already.`
}
