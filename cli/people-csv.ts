import { createReadStream, createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { stringify } from 'csv-stringify'
import { parseJson } from '../src/base/parse-json.ts'
import type { BackupLine } from '../src/people/backup/backup-lines.ts'
import { isObject } from '../src/people/values/values.ts'
import { linesOf } from './lines.ts'
import { headerOfCustom, profileHeaders } from './mapping.ts'

/** The cells of a person by the header of their column. */
type Row = Record<string, unknown>

/**
 * Returns people as CSV, with the columns that an import knows: fields of the profile, `alias.LABEL`, `group.ID` and custom attributes. All
 * people are read before the first line is written, because only then the columns are known; until then they are in the file `draft`.
 */
export async function* csvOfPeople(pages: AsyncIterable<readonly BackupLine[]>, draft: string): AsyncGenerator<string> {
  const found = new Set<string>()
  try {
    await pipeline(textOf(rowsOf(pages), found), createWriteStream(draft))
    const others = [...found].filter((header) => !profileHeaders.includes(header)).sort()
    const columns = ['external_id', ...profileHeaders.slice(1).filter((header) => found.has(header)), ...others]
    const rows = Readable.from(cellsOf(createReadStream(draft, 'utf8'), columns))
    for await (const text of rows.pipe(stringify({ header: true, columns, record_delimiter: '\r\n' }))) yield `${text}`
  } finally {
    await rm(draft, { force: true })
  }
}

/** Yields a row for each person. The parts of a person follow each other. */
async function* rowsOf(pages: AsyncIterable<readonly BackupLine[]>): AsyncGenerator<Row> {
  let row: Row | undefined
  for await (const lines of pages) {
    for (const line of lines) {
      if (line.profile !== undefined) {
        if (row !== undefined) yield row
        row = rowOf(line)
      } else if (row !== undefined && line.person !== undefined) addCustom(row, line)
    }
  }
  if (row !== undefined) yield row
}

function rowOf(line: BackupLine): Row {
  const profile = line.profile as Row
  const row: Row = Object.fromEntries(profileHeaders.map((name) => [name, profile[name]]))
  for (const { alias_label, alias_name } of listOf(line.aliases)) row[`alias.${alias_label}`] = alias_name
  for (const { group_id, state } of listOf(line.groups)) row[`group.${group_id}`] = state
  addCustom(row, line)
  return row
}

function addCustom(row: Row, { custom_attributes }: BackupLine): void {
  if (!isObject(custom_attributes)) return
  for (const [name, value] of Object.entries(custom_attributes)) row[headerOfCustom(name)] = value
}

async function* textOf(rows: AsyncIterable<Row>, found: Set<string>): AsyncGenerator<string> {
  for await (const row of rows) {
    const known = Object.entries(row).filter(([, value]) => value !== undefined && value !== null)
    for (const [header] of known) found.add(header)
    yield `${JSON.stringify(Object.fromEntries(known))}\n`
  }
}

async function* cellsOf(text: AsyncIterable<string>, columns: readonly string[]): AsyncGenerator<string[]> {
  for await (const { text: line } of linesOf(text)) {
    const row = parseJson(line) as Row
    yield columns.map((header) => cellOf(row[header]))
  }
}

/** Lists and objects are JSON. */
function cellOf(value: unknown): string {
  if (value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function listOf(value: unknown): Row[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}
