/** `isQuoted`: it stood in quotes, so an empty one is a text without characters. */
export type CsvCell = { readonly text: string; readonly isQuoted: boolean }

/** A record of a CSV file, with the line on which it begins. `mistake`: why it cannot be read. */
export type CsvRecord = { readonly line: number; readonly cells: readonly CsvCell[]; readonly mistake?: string }

export const separators = [',', ';', '\t'] as const
export type Separator = (typeof separators)[number]

const byteOrderMark = '\ufeff'
const lineBreak = /\r\n|\n|\r/g
const lineEnd = /\r\n|\n|\r|$/g
const loose = 'A cell with quotes in it must stand in quotes, and its own quotes must be doubled'
const unclosed = 'The quotes of a cell that begins here are not closed'
const trailing = 'After the closing quotes of a cell there must be a separator or the end of the line'

/** Removes the mark with which some programs begin a file. Pure. */
export function withoutMark(text: string): string {
  return text.startsWith(byteOrderMark) ? text.slice(1) : text
}

/** Finds the separator of a file: the one that its first line has most often outside quotes, else a comma. Pure. */
export function findSeparator(text: string): Separator {
  const [line = ''] = text.split(lineBreak, 1)
  const outside = line.replace(/"(?:[^"]|"")*"/g, '')
  const counts = separators.map((separator) => outside.split(separator).length)
  return separators[counts.indexOf(Math.max(...counts))]!
}

/**
 * Reads the records of a CSV text, without those of empty lines. Line breaks are CRLF, LF or CR; cells in quotes may have them. A record
 * that cannot be read has a mistake, and reading goes on with the next line. Returns the number of the line after the text. Pure.
 */
export function* readCsv(text: string, separator: Separator, first_line: number): Generator<CsvRecord, number> {
  const plain = new RegExp(`[^${separator}\\r\\n]*`, 'y')
  let line = first_line
  for (let at = 0; at < text.length; ) {
    const record = readRecord(text, at, separator, plain)
    if (record.cells.length > 1 || record.cells[0]!.isQuoted || record.cells[0]!.text !== '' || record.mistake) {
      yield { line, cells: record.cells, ...(record.mistake !== undefined && { mistake: record.mistake }) }
    }
    line += countLineBreaks(text.slice(at, record.end))
    at = record.end
  }
  // The last line of a file may have no line break.
  return text === '' || /[\r\n]$/.test(text) ? line : line + 1
}

type ReadRecord = { readonly cells: readonly CsvCell[]; readonly mistake: string | undefined; readonly end: number }

/** Reads one record with its line break. */
function readRecord(text: string, start: number, separator: Separator, plain: RegExp): ReadRecord {
  const cells: CsvCell[] = []
  let mistake: string | undefined
  for (let at = start; ; at++) {
    const cell = text[at] === '"' ? readQuoted(text, at) : readPlain(text, at, plain)
    cells.push({ text: cell.text, isQuoted: cell.isQuoted })
    at = cell.end
    mistake ??= cell.mistake
    if (text[at] === separator) continue
    const end = endOfLine(text, at)
    if (end.at > at) mistake ??= trailing
    return { cells, mistake, end: end.next }
  }
}

type ReadCell = CsvCell & { readonly end: number; readonly mistake?: string }

function readPlain(text: string, start: number, plain: RegExp): ReadCell {
  plain.lastIndex = start
  const [found] = plain.exec(text)!
  const cell = { text: found, isQuoted: false, end: start + found.length }
  return found.includes('"') ? { ...cell, mistake: loose } : cell
}

function readQuoted(text: string, start: number): ReadCell {
  for (let end = start + 1; ; end += 2) {
    end = text.indexOf('"', end)
    if (end < 0) return { text: text.slice(start + 1), isQuoted: true, end: text.length, mistake: unclosed }
    if (text[end + 1] !== '"')
      return { text: text.slice(start + 1, end).replaceAll('""', '"'), isQuoted: true, end: end + 1 }
  }
}

function endOfLine(text: string, from: number): { readonly at: number; readonly next: number } {
  lineEnd.lastIndex = from
  const found = lineEnd.exec(text)!
  return { at: found.index, next: found.index + found[0].length }
}

function countLineBreaks(text: string): number {
  return text.match(lineBreak)?.length ?? 0
}
