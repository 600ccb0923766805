import { existsSync, globSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { variables } from '../src/base/config.ts'
import { type Ended, startCommand } from './command.ts'
import { openFolder, quickFolder } from './folders.ts'
import type { Outcome } from './reporter.ts'

const lookMs = 50
/** V8's flag that leaves the embedded database with the first code made of it; tests pass it on to what they start. */
export const hasty = '--liftoff-only'
const reporter = new URL('./reporter.ts', import.meta.url).href
const together = fileURLToPath(new URL('./together.ts', import.meta.url))
/** So many files of these folders share a process: to start one, and a database in it, costs more than most files do. */
const filesTogether: Readonly<Record<string, number>> = {
  fault: 2,
  sim: 3,
  storage: 8,
  dashboard: 4,
  api: 10,
  rules: 19,
}

/** In a process of their own: what needs the machine for itself, and what changes the engine under its neighbours. */
const alone = /\.alone\.|\/pglite\./

/** What came of one file of tests. */
export type FileResult = {
  readonly path: string
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly Outcome[]
  readonly seconds: number
  /** What to read when something failed: each failure, then what the file printed. */
  readonly report: string
}

export type FileOptions = {
  readonly env: Readonly<Record<string, string>>
  /** For each file. */
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

/** The test files of the project; those of `.long.test.ts` only when asked for. Slow kinds first, so that none is left alone at the end. */
export function listTestFiles(root: string, long: boolean): string[] {
  const order = ['fault', 'sim', 'house', 'storage', 'dashboard', 'api']
  // Within a folder those that have a process of their own.
  const rank = (path: string) =>
    2 * ((order.indexOf(folderOf(path)) + order.length + 1) % (order.length + 1)) + (alone.test(path) ? 0 : 1)
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => long || !path.includes('.long.'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** The same files, in the same order, by the process that runs them. */
export function groupFiles(paths: readonly string[]): string[][] {
  const groups: string[][] = []
  for (const path of paths) {
    const last = groups.at(-1)
    const most = filesTogether[folderOf(path)] ?? 1
    const mayJoin = last !== undefined && folderOf(last[0]!) === folderOf(path) && last.length < most
    if (mayJoin && !alone.test(last[0]!) && !alone.test(path)) last.push(path)
    else groups.push([path])
  }
  return groups
}

function folderOf(path: string): string {
  return path.split('/')[1]!
}

/**
 * Runs files of tests one after another in one process, and tells what came of each. The file at which the process ends, or that
 * takes too long, has failed; those after it get another process.
 */
export async function runTestFiles(
  root: string,
  paths: readonly string[],
  options: FileOptions,
  tell: (result: FileResult) => void,
): Promise<void> {
  for (let left = paths; left.length > 0 && !options.signal.aborted; ) {
    left = await runUntilOneFails(root, left, options, tell)
  }
}

/** Answers the files that were not reached. */
async function runUntilOneFails(
  root: string,
  paths: readonly string[],
  options: FileOptions,
  tell: (result: FileResult) => void,
): Promise<readonly string[]> {
  const folder = temporaryFolder(options)
  const results = join(folder, 'outcomes')
  const flags = [...engineFlags(paths[0]!, options), '--test-reporter', reporter]
  const env = {
    ...productFreeEnvironment(),
    ...cacheOf(root),
    NODE_ENV: 'test',
    NO_COLOR: '1',
    TMPDIR: folder,
    EASEL_TEST_OUTCOMES: results,
    EASEL_TEST_TOGETHER: '1',
    ...options.env,
  }
  const command = startCommand([...flags, together, ...paths], { ...options, cwd: root, env })
  const course = new Course(paths, tell)
  const look = () => {
    for (const outcome of outcomesIn(results, course.noted)) course.note(outcome, command.renew)
  }
  const timer = setInterval(look, lookMs)
  const ended = await command.ended
  clearInterval(timer)
  look()
  course.end(ended)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {
    // What a killed test has left mounted or running there is not worth a failure.
  })
  return course.left
}

/** The files of one process, as it goes through them. */
class Course {
  readonly left: string[]
  /** Outcomes heard of so far, of all files. */
  noted = 0
  readonly #tell: (result: FileResult) => void
  #outcomes: Outcome[] = []
  #begunAtMs = performance.now()
  #hasFailed = false

  constructor(paths: readonly string[], tell: (result: FileResult) => void) {
    this.left = [...paths]
    this.#tell = tell
  }

  note(outcome: Outcome, renew: () => string): void {
    this.noted++
    this.#outcomes.push(outcome)
    // What the last one leaves behind may still fail it.
    if (outcome.outcome === 'ended' && this.left.length > 1) this.#finish({ complaint: undefined, output: renew() })
  }

  /** The process has ended, at the file that is told now. */
  end({ complaint, output }: Ended): void {
    const has = (wanted: Outcome['outcome']) => this.#outcomes.some(({ outcome }) => outcome === wanted)
    const isTold = has('ended') && (this.#hasFailed || has('failed')) && /status 1$/.test(complaint ?? '')
    const early = has('ended') ? undefined : 'left before its end'
    this.#finish({ complaint: isTold ? undefined : (complaint ?? early), output })
  }

  #finish(ended: Ended): void {
    const result = summaryOf(this.left.shift()!, this.#outcomes, ended, (performance.now() - this.#begunAtMs) / 1000)
    this.#hasFailed ||= result.failed > 0
    this.#outcomes = []
    this.#begunAtMs = performance.now()
    this.#tell(result)
  }
}

/** Where Node keeps what it has compiled, for every process of a run. */
function cacheOf(root: string): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }
}

/** The embedded database is compiled in haste where it is not used for long: that saves a second of each start. */
function engineFlags(path: string, { env }: FileOptions): string[] {
  return path.startsWith('test/sim/') && env.EASEL_TEST_LONG ? [] : [hasty]
}

/** Tests make their folders in it, so that nothing is left of those that are killed. A long run has the times of a real disk. */
function temporaryFolder({ env }: FileOptions): string {
  return openFolder(env.EASEL_TEST_LONG ? tmpdir() : quickFolder())
}

/** What was written since `from` outcomes. A line may be half written: by a process at work, or by one that was killed. */
function outcomesIn(path: string, from: number): Outcome[] {
  if (!existsSync(path)) return []
  const text = readFileSync(path, 'utf8')
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines
    .slice(0, -1)
    .slice(from)
    .map((line) => JSON.parse(line) as Outcome)
}

function summaryOf(
  path: string,
  outcomes: readonly Outcome[],
  { complaint, output }: Ended,
  seconds: number,
): FileResult {
  const of = (kind: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === kind)
  const [passed, failures, skipped] = [of('passed'), of('failed'), of('skipped')]
  const isEmpty = passed.length + failures.length + skipped.length === 0
  const fault = complaint ?? (isEmpty ? 'holds no test' : undefined)
  const failed = failures.length + (fault === undefined ? 0 : 1)
  const parts = [
    ...failures.map(({ name, text }) => `${name}\n${text}`),
    ...(fault === undefined ? [] : [`${path} ${fault}`]),
    ...of('remark').map(({ text }) => text ?? ''),
    ...(output.trim() === '' ? [] : [`printed:\n${output.trimEnd()}`]),
  ]
  return { path, passed: passed.length, failed, skipped, seconds, report: failed === 0 ? '' : parts.join('\n\n') }
}

// What somebody has set for the service they run must not reach the services that tests start.
function productFreeEnvironment(): NodeJS.ProcessEnv {
  const names = new Set(Object.values(variables).map(({ name }) => name))
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.has(name)))
}
