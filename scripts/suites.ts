import { existsSync, globSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { variables } from '../src/base/config.ts'
import { type CommandEnd, startCommand } from './command.ts'
import { fastFolder, openFolder } from './folders.ts'
import type { Outcome } from './reporter.ts'

const pollMs = 50
/** A V8 flag: the embedded database is compiled without optimization. Tests pass it on to the processes that they start. */
export const fastCompileFlag = '--liftoff-only'
const reporter = new URL('./reporter.ts', import.meta.url).href
const runFiles = fileURLToPath(new URL('./run-files.ts', import.meta.url))
/** The number of files of a folder that share a process. Starting one, with a database, takes longer than most files do. */
const filesPerProcess: Readonly<Record<string, number>> = {
  fault: 2,
  sim: 3,
  storage: 8,
  dashboard: 4,
  api: 10,
  rules: 19,
}

/** Files with a process of their own: those that need the whole machine, and those that change the engine. */
const ownProcess = /\.alone\.|\/pglite\./

/** The result of one test file. */
export type FileResult = {
  readonly path: string
  readonly passed: number
  readonly failed: number
  readonly skipped: readonly Outcome[]
  readonly seconds: number
  /** Each failure, then the output of the file. */
  readonly report: string
}

export type FileOptions = {
  readonly env: Readonly<Record<string, string>>
  /** For each file. */
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

/** Lists the test files of the project; `.long.test.ts` only with `long`. Slow folders first, so that no slow file runs last. */
export function listTestFiles(root: string, long: boolean): string[] {
  const order = ['fault', 'sim', 'house', 'storage', 'dashboard', 'api']
  // In a folder, files with a process of their own come first.
  const rank = (path: string) =>
    2 * ((order.indexOf(folderOf(path)) + order.length + 1) % (order.length + 1)) + (ownProcess.test(path) ? 0 : 1)
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => long || !path.includes('.long.'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** Groups files, in their order, by the process that runs them. */
export function groupFiles(paths: readonly string[]): string[][] {
  const groups: string[][] = []
  for (const path of paths) {
    const last = groups.at(-1)
    const most = filesPerProcess[folderOf(path)] ?? 1
    const mayJoin = last !== undefined && folderOf(last[0]!) === folderOf(path) && last.length < most
    if (mayJoin && !ownProcess.test(last[0]!) && !ownProcess.test(path)) last.push(path)
    else groups.push([path])
  }
  return groups
}

function folderOf(path: string): string {
  return path.split('/')[1]!
}

/**
 * Runs test files one after another in one process and reports the result of each. A file at which the process ends, or that exceeds
 * its deadline, has failed. The files after it run in another process.
 */
export async function runTestFiles(
  root: string,
  paths: readonly string[],
  options: FileOptions,
  onResult: (result: FileResult) => void,
): Promise<void> {
  for (let left = paths; left.length > 0 && !options.signal.aborted; ) {
    left = await runUntilProcessEnds(root, left, options, onResult)
  }
}

/** Returns the files that did not run. */
async function runUntilProcessEnds(
  root: string,
  paths: readonly string[],
  options: FileOptions,
  onResult: (result: FileResult) => void,
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
  const command = startCommand([...flags, runFiles, ...paths], { ...options, cwd: root, env })
  const progress = new FileProgress(paths, onResult)
  const poll = () => {
    for (const outcome of outcomesIn(results, progress.noted)) progress.note(outcome, command.restartTimer)
  }
  const timer = setInterval(poll, pollMs)
  const ended = await command.ended
  clearInterval(timer)
  poll()
  progress.end(ended)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {
    // A killed test may have left a mount or a process there, which is no failure.
  })
  return progress.left
}

/** The progress of one process through its files. */
class FileProgress {
  readonly left: string[]
  /** The number of outcomes so far, of all files. */
  noted = 0
  readonly #onResult: (result: FileResult) => void
  #outcomes: Outcome[] = []
  #begunAtMs = performance.now()
  #hasFailed = false

  constructor(paths: readonly string[], onResult: (result: FileResult) => void) {
    this.left = [...paths]
    this.#onResult = onResult
  }

  note(outcome: Outcome, renew: () => string): void {
    this.noted++
    this.#outcomes.push(outcome)
    // The last file ends with its process, because what it leaves running may still make it fail.
    if (outcome.outcome === 'ended' && this.left.length > 1) this.#finish({ complaint: undefined, output: renew() })
  }

  /** Finishes the file at which the process has ended. */
  end({ complaint, output }: CommandEnd): void {
    const has = (wanted: Outcome['outcome']) => this.#outcomes.some(({ outcome }) => outcome === wanted)
    const isReported = has('ended') && (this.#hasFailed || has('failed')) && /status 1$/.test(complaint ?? '')
    const early = has('ended') ? undefined : 'exited before its end'
    this.#finish({ complaint: isReported ? undefined : (complaint ?? early), output })
  }

  #finish(ended: CommandEnd): void {
    const result = summaryOf(this.left.shift()!, this.#outcomes, ended, (performance.now() - this.#begunAtMs) / 1000)
    this.#hasFailed ||= result.failed > 0
    this.#outcomes = []
    this.#begunAtMs = performance.now()
    this.#onResult(result)
  }
}

/** Returns the setting for Node's cache of compiled code, which all processes of a run share. */
function cacheOf(root: string): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }
}

/** Skips the optimization of the embedded database unless a test runs for long: that saves a second of each start. */
function engineFlags(path: string, { env }: FileOptions): string[] {
  return path.startsWith('test/sim/') && env.EASEL_TEST_LONG ? [] : [fastCompileFlag]
}

/** Creates the folder in which tests create theirs, so that it can be removed after a killed test. A long run uses a real disk. */
function temporaryFolder({ env }: FileOptions): string {
  return openFolder(env.EASEL_TEST_LONG ? tmpdir() : fastFolder())
}

/** Reads the outcomes after the first `from`. The last line may be incomplete, because the process is running or was killed. */
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
  { complaint, output }: CommandEnd,
  seconds: number,
): FileResult {
  const of = (kind: Outcome['outcome']) => outcomes.filter(({ outcome }) => outcome === kind)
  const [passed, failures, skipped] = [of('passed'), of('failed'), of('skipped')]
  const isEmpty = passed.length + failures.length + skipped.length === 0
  const fault = complaint ?? (isEmpty ? 'has no test' : undefined)
  const failed = failures.length + (fault === undefined ? 0 : 1)
  const parts = [
    ...failures.map(({ name, text }) => `${name}\n${text}`),
    ...(fault === undefined ? [] : [`${path} ${fault}`]),
    ...of('remark').map(({ text }) => text ?? ''),
    ...(output.trim() === '' ? [] : [`printed:\n${output.trimEnd()}`]),
  ]
  return { path, passed: passed.length, failed, skipped, seconds, report: failed === 0 ? '' : parts.join('\n\n') }
}

// The settings of a developer's own service must not reach the services that tests start.
function productFreeEnvironment(): NodeJS.ProcessEnv {
  const names = new Set(Object.values(variables).map(({ name }) => name))
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !names.has(name)))
}
