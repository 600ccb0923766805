import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

export type Database = 'postgres' | 'pglite'

/** One measurement. Rates are per second. `nodeUs` and `databaseUs` are CPU time per update or per request. */
export type Figure = {
  what: string
  database: Database | 'none'
  people?: number
  value: number
  unit:
    | 'updates/s'
    | 'rows/s'
    | 'requests/s'
    | 'merges/s'
    | 'renders/s'
    | 'mails/s'
    | 'messages/s'
    | 'people/s'
    | 'entries/s'
    | 'ms'
    | 's'
    | 'min'
    | 'us'
    | '%'
    | 'MB'
    | 'kB'
    | 'B'
  p50Ms?: number
  p99Ms?: number
  nodeUs?: number
  databaseUs?: number
  /** CPU time of the process in each turn, when it was measured in turns with others. */
  turnsUs?: readonly number[]
  failed?: number
  /** Cores that other processes of the machine were using. */
  otherCores?: number
}

/** A figure compared with its bound or its limit. `wanted` is required now, `goal` is the goal of the design. */
export type Comparison = {
  what: string
  database: Database | 'none'
  people?: number
  value: number
  /** `x`: a share, should be large · `times`: a multiple, should be small · `rows`: CPU time in that of one row of the bound. */
  unit: 'x' | 'times' | 'rows' | 'ms' | 's' | 'min' | 'MB' | 'kB' | '%'
  /** Half of the turns have values between these. */
  spread?: readonly [number, number]
  /** How often it was measured, when it is a median. */
  turns?: number
  wanted?: number
  goal?: number
}

export type Machine = { cpu: string; cores: number; memoryGb: number; kernel: string; node: string }

const history = new URL('./history.jsonl', import.meta.url)

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    node: process.version,
  }
}

/** Returns the current commit, with `+` when files differ from it; `none` without one. */
export function describeCommit(): string {
  const git = (...parts: string[]) =>
    execFileSync('git', parts, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  try {
    return `${git('rev-parse', '--short=12', 'HEAD')}${git('status', '--porcelain') === '' ? '' : '+'}`
  } catch {
    return 'none'
  }
}

/** Whether a ratio is at least the target, or a time or an amount at most. */
export function isMet(comparison: Comparison, target: number): boolean {
  return comparison.unit === 'x' ? comparison.value >= target : comparison.value <= target
}

export function appendHistory(
  figures: readonly Figure[],
  comparisons: readonly Comparison[],
  at: { commit: string; date: string },
  /** Another file than the history. */
  file: string | URL = history,
): void {
  const lines = [...figures, ...comparisons].map((line) =>
    JSON.stringify({ ...at, ...line, machine: describeMachine() }, short),
  )
  if (lines.length === 0) return
  appendFileSync(file, `${lines.join('\n')}\n`)
}

const digitsKept = 5

function short(_member: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digitsKept)) : value
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function printFigures(figures: readonly Figure[]): void {
  const rows = figures.map((figure) => [
    figure.what,
    figure.database === 'none' ? '' : figure.database,
    amount(figure.people),
    `${amount(figure.value)} ${figure.unit}`,
    amount(figure.p50Ms),
    amount(figure.p99Ms),
    amount(figure.nodeUs),
    amount(figure.databaseUs),
    figure.failed ? String(figure.failed) : '',
    amount(figure.otherCores),
  ])
  printTable(
    ['figure', 'database', 'people', 'value', 'p50 ms', 'p99 ms', 'node us', 'db us', 'failed', 'others'],
    rows,
    2,
  )
}

export function printComparisons(comparisons: readonly Comparison[]): void {
  const mark = (comparison: Comparison, value: number | undefined) =>
    value === undefined ? '' : `${value} ${isMet(comparison, value) ? 'yes' : 'NO'}`
  const rows = comparisons.map((comparison) => [
    comparison.what,
    comparison.database === 'none' ? '' : comparison.database,
    amount(comparison.people),
    `${comparison.unit === 'x' ? comparison.value.toFixed(2) : amount(comparison.value)} ${comparison.unit}`,
    comparison.spread?.map((value) => value.toFixed(2)).join(' to ') ?? '',
    mark(comparison, comparison.wanted),
    mark(comparison, comparison.goal),
  ])
  printTable(['compared with its bound', 'database', 'people', 'value', 'half of the turns', 'wanted', 'goal'], rows, 2)
}

/** Prints a table. The first `left` columns are texts. */
export function printTable(heads: readonly string[], rows: readonly (readonly string[])[], left = 1): void {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i < left ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  print(`\n${line(heads)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}`)
  for (const row of rows) print(line(row).trimEnd())
}

/** Returns a number with the digits that a reader needs; an empty text for undefined. */
export function amount(value: number | undefined): string {
  if (value === undefined) return ''
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
