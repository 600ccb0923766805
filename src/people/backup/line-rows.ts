import { formatMoment } from '../values/moments.ts'
import { isObject } from '../values/values.ts'
import type { BackupColumns, BackupRow, BackupValue } from './backup-tables.ts'

/** Formats a row for a line: with moments as text, and without columns that have their blank value. */
export function formatRow(columns: BackupColumns, row: BackupRow): Record<string, BackupValue> {
  const formatted: Record<string, BackupValue> = {}
  for (const name in columns) {
    const { type, blank = null } = columns[name]!
    const value = row[name] ?? null
    if (value === blank || (Array.isArray(blank) && Array.isArray(value) && value.length === 0)) continue
    formatted[name] = type === 'timestamptz' ? formatMoment(value as number) : value
  }
  return formatted
}

/** Parses a row of a line. Returns a text for a mistake. */
export function readRow(columns: BackupColumns, given: unknown): BackupRow | string {
  if (!isObject(given)) return ' is not an object'
  const row: Record<string, BackupValue> = {}
  for (const name in columns) {
    const { blank, read } = columns[name]!
    const member = given[name]
    const value = member === undefined || member === null ? blank : read(member)
    if (value === undefined) return `.${name} ${member === undefined ? 'is missing' : 'is not valid'}`
    row[name] = value
  }
  return row
}

/** Parses a list of rows with different keys. */
export function readRows(columns: BackupColumns, key: readonly string[], given: unknown): BackupRow[] | string {
  if (!Array.isArray(given)) return ' is not a list'
  const keys = new Set<string>()
  const rows: BackupRow[] = []
  for (const [i, each] of given.entries()) {
    const row = readRow(columns, each)
    if (typeof row === 'string') return `[${i}]${row}`
    if (key.length > 0) keys.add(JSON.stringify(key.map((name) => row[name])))
    if (key.length > 0 && keys.size <= i) return `[${i}] occurs twice`
    rows.push(row)
  }
  return rows
}
