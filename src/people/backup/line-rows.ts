import { formatMoment } from '../values/moments.ts'
import { isObject } from '../values/values.ts'
import type { BackupColumns, BackupRow, BackupValue } from './backup-tables.ts'

/** A row as a line shows it: moments as text, and nothing that a blank says as well. */
export function formatRow(columns: BackupColumns, row: BackupRow): Record<string, BackupValue> {
  const shown: Record<string, BackupValue> = {}
  for (const name in columns) {
    const { type, blank = null } = columns[name]!
    const value = row[name] ?? null
    if (value === blank || (Array.isArray(blank) && Array.isArray(value) && value.length === 0)) continue
    shown[name] = type === 'timestamptz' ? formatMoment(value as number) : value
  }
  return shown
}

/** What a line shows, as it is stored; a text names what is wrong with it. */
export function readRow(columns: BackupColumns, shown: unknown): BackupRow | string {
  if (!isObject(shown)) return ' is no object'
  const row: Record<string, BackupValue> = {}
  for (const name in columns) {
    const { blank, read } = columns[name]!
    const given = shown[name]
    const value = given === undefined || given === null ? blank : read(given)
    if (value === undefined) return `.${name} ${given === undefined ? 'is missing' : 'is not valid'}`
    row[name] = value
  }
  return row
}

/** A list of rows, each with another key. */
export function readRows(columns: BackupColumns, key: readonly string[], shown: unknown): BackupRow[] | string {
  if (!Array.isArray(shown)) return ' is no list'
  const keys = new Set<string>()
  const rows: BackupRow[] = []
  for (const [i, each] of shown.entries()) {
    const row = readRow(columns, each)
    if (typeof row === 'string') return `[${i}]${row}`
    if (key.length > 0) keys.add(JSON.stringify(key.map((name) => row[name])))
    if (key.length > 0 && keys.size <= i) return `[${i}] is there already`
    rows.push(row)
  }
  return rows
}
