import { execFileSync } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'

export type Database = 'postgres' | 'pglite'

/** One thing measured. Rates are per second; the CPU of `nodeUs` and `databaseUs` is per update (or per request). */
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
    | 'people/s'
    | 'entries/s'
    | 'ms'
    | 's'
    | 'us'
    | 'MB'
  p50Ms?: number
  p99Ms?: number
  nodeUs?: number
  databaseUs?: number
  failed?: number
  /** Cores of the machine that neither the service, its database nor the load were using: somebody else's noise. */
  otherCores?: number
}

/** One figure held against its bound or its limit. `wanted` is asked for now, `goal` is where the design wants it. */
export type Verdict = {
  what: string
  database: Database | 'none'
  people?: number
  value: number
  unit: 'x' | 'ms' | 's' | 'MB'
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

/** The commit that is checked out, with `+` when files differ from it; `none` outside of a repository with a commit. */
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

/** Ratio above, or a time or an amount below: whether the verdict's figure is what is wanted. */
export function isMet(verdict: Verdict, mark: number): boolean {
  return verdict.unit === 'x' ? verdict.value >= mark : verdict.value <= mark
}

export function keep(
  figures: readonly Figure[],
  verdicts: readonly Verdict[],
  at: { commit: string; date: string },
): void {
  const lines = [...figures, ...verdicts].map((line) =>
    JSON.stringify({ ...at, ...line, machine: describeMachine() }, short),
  )
  appendFileSync(history, `${lines.join('\n')}\n`)
}

const digitsKept = 5

function short(_member: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(digitsKept)) : value
}

export function say(text: string): void {
  process.stdout.write(`${text}\n`)
}

export function sayFigures(figures: readonly Figure[]): void {
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
  table(['figure', 'database', 'people', 'value', 'p50 ms', 'p99 ms', 'node us', 'db us', 'failed', 'others'], rows)
}

export function sayVerdicts(verdicts: readonly Verdict[]): void {
  const mark = (verdict: Verdict, value: number | undefined) =>
    value === undefined ? '' : `${value} ${isMet(verdict, value) ? 'yes' : 'NO'}`
  const rows = verdicts.map((verdict) => [
    verdict.what,
    verdict.database === 'none' ? '' : verdict.database,
    amount(verdict.people),
    `${verdict.unit === 'x' ? verdict.value.toFixed(2) : amount(verdict.value)} ${verdict.unit}`,
    mark(verdict, verdict.wanted),
    mark(verdict, verdict.goal),
  ])
  table(['held against its bound', 'database', 'people', 'value', 'wanted', 'goal'], rows)
}

function table(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, i) => Math.max(head.length, ...rows.map((row) => row[i]!.length)))
  const line = (cells: readonly string[]) =>
    cells.map((cell, i) => (i < 2 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  ')
  say(`\n${line(heads)}\n${widths.map((width) => '-'.repeat(width)).join('  ')}`)
  for (const row of rows) say(line(row).trimEnd())
}

function amount(value: number | undefined): string {
  if (value === undefined) return ''
  if (value >= 1000) return Math.round(value).toLocaleString('en')
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)
}
