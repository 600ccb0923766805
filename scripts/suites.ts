import { closeSync, existsSync, fstatSync, globSync, openSync, readSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextImmediate } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { variables } from '../src/base/config.ts'
import { type Command, type CommandEnd, startCommand } from './command.ts'
import { fastFolder, openFolder } from './folders.ts'
import type { Outcome } from './reporter.ts'
import type { RunnerMessage } from './run-files.ts'

const reporter = new URL('./reporter.ts', import.meta.url).href
const runFiles = fileURLToPath(new URL('./run-files.ts', import.meta.url))
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

/**
 * Lists the test files of the project; `.long.test.ts` only with `long`. Files with a process of their own come first, then slow folders,
 * so that no slow file runs last.
 */
export function listTestFiles(root: string, long: boolean): string[] {
  const order = ['fault', 'sim', 'house', 'storage', 'dashboard', 'api']
  const rank = (path: string) =>
    ownProcess.test(path) ? -1 : (order.indexOf(folderOf(path)) + order.length + 1) % (order.length + 1)
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => long || !path.includes('.long.'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** Returns whether two files may run one after the other in one process. */
export function mayShareProcess(one: string, other: string): boolean {
  return !ownProcess.test(one) && !ownProcess.test(other)
}

function folderOf(path: string): string {
  return path.split('/')[1]!
}

/**
 * Takes test files from a queue, which other calls may share, runs them one after another in one process, and reports the result of each.
 * Starting a process with its databases takes longer than most files do. A file at which the process ends, or that exceeds its deadline,
 * has failed. Another process runs the files after it.
 */
export async function runTestFiles(
  root: string,
  queue: string[],
  options: FileOptions,
  onResult: (result: FileResult) => void,
): Promise<void> {
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    await runInProcess(root, path, queue, options, onResult)
    if (options.signal.aborted) return
  }
}

/** Runs a file, and after it the files of the queue that may share its process, until the process ends. */
async function runInProcess(
  root: string,
  first: string,
  queue: string[],
  options: FileOptions,
  onResult: (result: FileResult) => void,
): Promise<void> {
  const folder = temporaryFolder(options)
  const results = join(folder, 'outcomes')
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
  const outcomes = new OutcomeReader(results)
  // What the process printed before an outcome is in its pipe by now. The event loop reads the pipe before it runs immediates.
  const read = () => {
    const found = outcomes.read()
    setImmediate(() => {
      for (const outcome of found) progress.note(outcome)
    })
  }
  const command = startCommand(['--test-reporter', reporter, runFiles], { ...options, cwd: root, env, onMessage: read })
  const take = () => (queue[0] !== undefined && mayShareProcess(first, queue[0]) ? queue.shift() : undefined)
  const progress = new FileProgress(first, command, take, onResult)
  const ended = await command.ended
  read()
  await nextImmediate()
  progress.end(ended)
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {
    // A killed test may have left a mount or a process there, which is no failure.
  })
}

/** The progress of one process through its files. */
class FileProgress {
  readonly #command: Command
  /** Returns the next file of this process; undefined after the last. */
  readonly #take: () => string | undefined
  readonly #onResult: (result: FileResult) => void
  #path: string
  #outcomes: Outcome[] = []
  #begunAtMs = performance.now()
  #hasFailed = false

  constructor(first: string, command: Command, take: () => string | undefined, onResult: (result: FileResult) => void) {
    this.#command = command
    this.#take = take
    this.#onResult = onResult
    this.#path = first
    this.#send({ path: first })
  }

  note(outcome: Outcome): void {
    this.#outcomes.push(outcome)
    if (outcome.outcome !== 'ended') return
    const next = this.#command.isRunning() ? this.#take() : undefined
    if (next === undefined) {
      // The last file ends with its process, because what it leaves running may still make it fail.
      this.#send({ end: true })
      return
    }
    this.#finish({ complaint: undefined, output: this.#command.restartTimer() })
    this.#path = next
    this.#send({ path: next })
  }

  #send(message: RunnerMessage): void {
    this.#command.send(message)
  }

  /** Finishes the file at which the process has ended. */
  end({ complaint, output }: CommandEnd): void {
    const has = (wanted: Outcome['outcome']) => this.#outcomes.some(({ outcome }) => outcome === wanted)
    const isReported = has('ended') && (this.#hasFailed || has('failed')) && /status 1$/.test(complaint ?? '')
    const early = has('ended') ? undefined : 'exited before its end'
    this.#finish({ complaint: isReported ? undefined : (complaint ?? early), output })
  }

  #finish(ended: CommandEnd): void {
    const result = summaryOf(this.#path, this.#outcomes, ended, (performance.now() - this.#begunAtMs) / 1000)
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

/** Creates the folder in which tests create theirs, so that it can be removed after a killed test. A long run uses a real disk. */
function temporaryFolder({ env }: FileOptions): string {
  return openFolder(env.EASEL_TEST_LONG ? tmpdir() : fastFolder())
}

/** Reads a file of outcomes while a process writes it. */
class OutcomeReader {
  readonly #path: string
  #readBytes = 0

  constructor(path: string) {
    this.#path = path
  }

  /** Returns the outcomes since the last call. The last line may be incomplete, because the process is running or was killed. */
  read(): Outcome[] {
    if (!existsSync(this.#path)) return []
    const file = openSync(this.#path, 'r')
    try {
      const unread = Buffer.alloc(fstatSync(file).size - this.#readBytes)
      const bytes = unread.subarray(0, readSync(file, unread, 0, unread.length, this.#readBytes))
      const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1)
      this.#readBytes += whole.length
      return whole
        .toString()
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Outcome)
    } finally {
      closeSync(file)
    }
  }
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
