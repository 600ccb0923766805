import type { Client } from './client.ts'
import { type Outcome, UsageError } from './command.ts'
import { type CsvRecord, delimiterOf, readCsv, recordBytesMax } from './csv.ts'
import type { LinePlan } from './line-plan.ts'
import { lookUpIds } from './look-up-ids.ts'
import { type CellOptions, type Column, formatTarget, mapColumns, objectOf, readMap } from './mapping.ts'
import { formatCount } from './progress.ts'
import { peek } from './source.ts'
import type { TrackItem } from './track-batches.ts'

/** The most values of a column in a preview, and the most characters of each. */
const samplesMax = 3
const sampleCharactersMax = 40

/** A CSV file of people. Its first line has been read. */
export type PeopleTable = {
  columns: readonly Column[]
  cells: CellOptions
  /** The first line as it is in the file. */
  head: string
  rows: AsyncGenerator<CsvRecord>
}

/** Reads the header and maps its columns. `map` has the values of `--map`, each of them `HEADER=TARGET` separated by commas. */
export async function openPeopleTable(
  text: AsyncIterable<string>,
  map: readonly string[],
  cells: CellOptions,
): Promise<PeopleTable> {
  const { headers, head, given, rows } = await openCsvTable(text, map)
  const columns = mapColumns(headers, given)
  if (typeof columns === 'string') throw new UsageError(columns)
  return { columns, cells, head, rows }
}

/** A CSV file, of which the first line has been read, with the targets of its columns in `--map`. */
export type CsvTable = {
  readonly headers: readonly string[]
  /** The first line as it is in the file. */
  readonly head: string
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
  const header: CsvRecord = first.done ? { line: 1, problem: 'is empty', text: '' } : first.value
  if (header.problem !== undefined) throw new UsageError(`line ${header.line}: ${header.problem}`)
  return { headers: header.fields, head: header.text, given: withHeaders(header.fields, given), rows }
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
export async function* trackItemsOfTable(table: PeopleTable): AsyncGenerator<TrackItem> {
  for await (const { item } of itemsOfTable(table)) yield item
}

async function* itemsOfTable({ columns, cells, rows }: PeopleTable) {
  for await (const { line: number, text, ...row } of rows) {
    const fields = row.problem === undefined ? objectOf(columns, row.fields, cells) : row.problem
    const place = { number, index: 0, text }
    const item: TrackItem =
      typeof fields === 'string' ? { ...place, problem: fields } : { ...place, array: 'attributes', fields }
    yield { item, cells: row.problem === undefined ? row.fields : [] }
  }
}

/** Describes the target of each column. */
export function describeColumns({ columns }: PeopleTable): string {
  return columns.map(({ header, target }) => `${JSON.stringify(header)} -> ${formatTarget(target)}`).join(', ')
}

/** Describes what the file would change, and which lines would be refused. Sends only requests that read. */
export async function previewPeopleTable(sheet: PeopleTable, client: Client, plan: LinePlan): Promise<Outcome> {
  const { columns } = sheet
  const samples = columns.map((): string[] => [])
  for await (const { item, cells } of itemsOfTable(sheet)) {
    plan.add(item)
    if (item.problem !== undefined) continue
    for (const [i, cell] of cells.entries()) {
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
  const people = await lookUpIds(plan.end(), plan.lines, client)
  const mapped = columns.map(({ header, target }, i) => ({
    header,
    target: formatTarget(target),
    examples: samples[i]!.map((cell) => cell.slice(0, sampleCharactersMax)),
  }))
  return {
    result: { columns: mapped, rows: plan.lines, ...plan.result, ...people.result },
    text: [...lines, `${formatCount(plan.lines)} rows.`, people.text, plan.text].join('\n'),
    failed: plan.refused > 0,
  }
}
