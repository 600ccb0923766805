import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { stringify } from 'csv-stringify/sync'
import type { TextRow } from '../src/base/db/sql.ts'
import type { RowSink } from './analyst-query.ts'
import { type Column, plainText, rowJson } from './row-values.ts'
import { tableOf } from './table.ts'

export const rowFormats = ['table', 'csv', 'json', 'jsonl'] as const
export type RowFormat = (typeof rowFormats)[number]

/** Writes rows while they arrive. `end` writes what comes after the last one. */
export type RowWriter = RowSink & { end(): Promise<void> }

/** A cell of a table is cut after this many characters, so that a long text does not hide the others. */
const cellCharactersMax = 60
/** Characters that would break the lines of a table or control the terminal. */
const controls = /[\u0000-\u001f\u007f-\u009f]/g

/** Returns a writer to a stream, which waits while the stream is full. */
export function rowWriter(format: RowFormat, out: Writable): RowWriter {
  const write = async (text: string): Promise<void> => {
    if (text !== '' && !out.write(text)) await once(out, 'drain')
  }
  const writers: Readonly<Record<RowFormat, () => RowWriter>> = {
    table: () => tableWriter(write),
    csv: () => csvWriter(write),
    json: () => jsonWriter(write, { start: '[', between: ',', end: ']\n' }),
    jsonl: () => jsonWriter(write, { start: '', between: '', end: '' }),
  }
  return writers[format]()
}

type Write = (text: string) => Promise<void>

/** A table is written when it is complete, because its columns are as wide as their longest cell. */
function tableWriter(write: Write): RowWriter {
  let columns: readonly Column[] = []
  const lines: string[][] = []
  return {
    columns: (given) => {
      columns = given
      lines.push(given.map(({ name }) => cell(name)))
    },
    rows: (rows) => {
      for (const row of rows) lines.push(columns.map((column, i) => cell(plainText(column, row[i]!) ?? '')))
    },
    async end() {
      if (columns.length > 0) await write(`${tableOf(lines)}\n`)
    },
  }
}

function cell(text: string): string {
  const flat = text.replace(controls, ' ')
  return flat.length > cellCharactersMax ? `${flat.slice(0, cellCharactersMax - 1).toWellFormed()}…` : flat
}

/** Null is an empty field, and an empty text is a quoted one. */
function csvWriter(write: Write): RowWriter {
  let columns: readonly Column[] = []
  return {
    columns(given) {
      columns = given
      return write(csvOf([given.map(({ name }) => name)]))
    },
    rows: (rows) => write(csvOf(rows.map((row) => columns.map((column, i) => plainText(column, row[i]!))))),
    end: async () => {},
  }
}

function csvOf(rows: readonly TextRow[]): string {
  return stringify(rows as TextRow[] as string[][], { quoted_match: /^$/ })
}

type Marks = { readonly start: string; readonly between: string; readonly end: string }

function jsonWriter(write: Write, { start, between, end }: Marks): RowWriter {
  let columns: readonly Column[] = []
  let isFirst = true
  return {
    columns(given) {
      columns = given
      return write(start)
    },
    rows(rows) {
      const texts = rows.map((row) => {
        const text = `${isFirst ? '' : between}${isFirst && start !== '' ? '\n' : ''}${rowJson(columns, row)}\n`
        isFirst = false
        return text
      })
      return write(texts.join(''))
    },
    end: () => write(end),
  }
}
