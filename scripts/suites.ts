import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { variables } from '../src/base/config.ts'
import type { Outcome } from './reporter.ts'

const outputCharactersMax = 20_000
const leftoverGraceMs = 10_000
/** V8's flag that leaves the embedded database with the first code made of it; tests pass it on to what they start. */
export const hasty = '--liftoff-only'
const reporter = new URL('./reporter.ts', import.meta.url).href

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
  readonly deadlineMs: number
  readonly signal: AbortSignal
}

/** The test files of the project; those of `.long.test.ts` only when asked for. Slow kinds first, so that none is left alone at the end. */
export function listTestFiles(root: string, long: boolean): string[] {
  const order = ['fault', 'sim', 'storage', 'dashboard', 'api']
  const rank = (path: string) => (order.indexOf(path.split('/')[1]!) + order.length + 1) % (order.length + 1)
  return globSync('test/**/*.test.ts', { cwd: root })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path) => long || !path.includes('.long.'))
    .sort((a, b) => rank(a) - rank(b) || a.localeCompare(b))
}

/** Runs one file of tests in a process of its own, which ends with everything it started when the time is up. */
export async function runTestFile(root: string, path: string, options: FileOptions): Promise<FileResult> {
  const startedAt = performance.now()
  const folder = temporaryFolder()
  const results = join(folder, 'outcomes')
  const flags = [...engineFlags(path), '--test-reporter', reporter, '--test-reporter-destination', results]
  const env = {
    ...productFreeEnvironment(),
    ...cacheOf(root),
    NODE_ENV: 'test',
    NO_COLOR: '1',
    TMPDIR: folder,
    ...options.env,
  }
  const ended = await runCommand([...flags, path], { ...options, cwd: root, env })
  const outcomes = existsSync(results) ? outcomesIn(readFileSync(results, 'utf8')) : []
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }).catch(() => {
    // What a killed test has left mounted or running there is not worth a failure.
  })
  return summaryOf(path, outcomes, ended, (performance.now() - startedAt) / 1000)
}

/** Where Node keeps what it has compiled, for every process of a run. */
function cacheOf(root: string): NodeJS.ProcessEnv {
  return { NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/compiled') }
}

/** The embedded database is compiled in haste where it is not used for long: that saves a second of each start. */
function engineFlags(path: string): string[] {
  return path.startsWith('test/sim/') ? [] : [hasty]
}

// Tests make their folders in it, so that nothing is left of those that are killed. Servers may run as another user.
function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'easel-test-'))
  chmodSync(folder, 0o711)
  return folder
}

type Ended = { readonly complaint: string | undefined; readonly output: string }
type CommandOptions = { cwd: string; env: NodeJS.ProcessEnv; deadlineMs: number; signal: AbortSignal }

/** Runs this Node with arguments, in a process group of its own. `complaint` says how it ended when not well. */
export function runCommand(args: readonly string[], { cwd, env, deadlineMs, signal }: CommandOptions): Promise<Ended> {
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-outputCharactersMax)
    })
  }
  let complaint: string | undefined
  const end = (reason: string) => {
    complaint ??= reason
    child.kill('SIGKILL')
  }
  const timer = setTimeout(() => end(`did not end within ${deadlineMs / 1000} s and was stopped`), deadlineMs)
  const onAbort = () => end('was interrupted')
  signal.addEventListener('abort', onAbort)
  return new Promise((resolve) => {
    child.on('exit', (code, killer) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (code !== 0) complaint ??= `ended with ${killer ?? `status ${code}`}`
      endGroup(child.pid!, child)
    })
    child.on('close', () => resolve({ complaint, output }))
    child.on('error', (error) => resolve({ complaint: error.message, output }))
  })
}

// What a test left running holds our pipes open. It is asked to end, so that servers can clean up, and then made to.
function endGroup(pid: number, child: ChildProcess): void {
  signalGroup(pid, 'SIGTERM')
  const timer = setTimeout(() => {
    signalGroup(pid, 'SIGKILL')
    for (const stream of [child.stdout, child.stderr]) stream?.destroy()
  }, leftoverGraceMs)
  child.once('close', () => clearTimeout(timer))
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  if (process.platform === 'win32') return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nobody is left in the group.
  }
}

function outcomesIn(text: string): Outcome[] {
  // A process that was killed may have written half of its last line.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Outcome)
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
  const own = complaint && (failures.length === 0 || !/status 1$/.test(complaint)) ? complaint : undefined
  const fault = own ?? (isEmpty ? 'holds no test' : undefined)
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
