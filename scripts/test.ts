import { existsSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect, parseArgs } from 'node:util'
import { findChromium } from './find-chromium.ts'
import { openFolder } from './folders.ts'
import { filesOfPart, partCount, partOf, readDurations, writeDurations } from './parts.ts'
import { buildPrograms } from './programs.ts'
import { runStep, steps } from './steps.ts'
import { type FileResult, listTestFiles, runTestFiles } from './suites.ts'

const root = join(import.meta.dirname, '..')
const fileDeadlineMs = 20 * 60_000
const longFileDeadlineMs = 45 * 60_000
/**
 * Processes beyond the number of cores, because tests wait now and then. Each has databases and compiled code of its own: with three more
 * than cores, a run takes a sixth longer.
 */
const extraProcesses = 1

const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    complete: { type: 'boolean', default: false },
    /** Stores how long each file took, for `parts.ts`. */
    durations: { type: 'boolean', default: false },
  },
  allowPositionals: true,
})
const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort())

type Tally = { passed: number; failed: number; skipped: number; remarks: string[]; failures: string[] }
const seconds = new Map<string, number>()
const tally: Tally = { passed: 0, failed: 0, skipped: 0, remarks: [], failures: [] }

const checked = positionals.length === 0 ? runSteps() : undefined
await runSuites().catch((error: unknown) => fail('the runner', inspect(error)))
await checked
summarise()
process.exitCode = tally.failed === 0 ? 0 : 1

async function runSteps(): Promise<void> {
  for (const [name, args] of Object.entries(steps)) {
    const { passed, seconds, report } = await runStep(root, args, interruption.signal)
    line(passed, seconds, name)
    if (passed) tally.passed++
    else fail(name, report)
  }
}

/** Runs all suites with one PostgreSQL server of their own, or one cluster of Citus, which ends with this process. */
async function runSuites(): Promise<void> {
  const chromium = findChromium()
  const seed = process.env.EASEL_TEST_SEED ?? String(Math.floor(Math.random() * 2 ** 31))
  const all = filesToRun(chromium)
  const isWhole = positionals.length > 0 || values.complete || values.long
  const part = partOf(Number(seed))
  const files = isWhole ? all : filesOfPart(all, readDurations(root), part)
  if (files.length === 0) return fail('suites', 'There is no test file to run.')
  const { databasesOf, findPostgres, startCluster } = await import('../test/servers/postgres.ts')
  const { makeTemplate } = await import('../test/servers/template.ts')
  const { startCitus } = await import('../test/servers/citus.ts')
  const { distributedTemplate } = await import('../test/servers/citus-databases.ts')
  const citusFolder = process.env.EASEL_TEST_CITUS
  await using citus = citusFolder === undefined ? undefined : await startCitus(citusFolder)
  const given = citus?.coordinatorUrl ?? process.env.EASEL_TEST_POSTGRES
  await using cluster =
    given === undefined && findPostgres() !== undefined ? await startCluster({ durable: false }) : undefined
  const postgres = given ?? cluster?.url('postgres')
  if (postgres === undefined) missing('PostgreSQL was not found: its suites are skipped.')
  const template =
    (citus ? distributedTemplate : process.env.EASEL_TEST_TEMPLATE) ??
    (postgres === undefined ? undefined : await makeTemplate(databasesOf(postgres)))
  const drawn = isWhole
    ? `${files.length} files`
    : `part ${part + 1} of ${partCount}: ${files.length} of ${all.length} files; npm run test:complete runs all`
  process.stdout.write(`seed ${seed} (EASEL_TEST_SEED), ${drawn}\n`)
  const programs = process.env.EASEL_TEST_PROGRAMS ?? (await buildPrograms(root))
  const statuses = openFolder(tmpdir())
  const env = {
    EASEL_TEST_SEED: seed,
    EASEL_TEST_STATUSES: statuses,
    EASEL_TEST_PROGRAMS: programs,
    ...(values.long ? { EASEL_TEST_LONG: '1' } : {}),
    ...(values.complete ? { EASEL_TEST_COMPLETE: '1' } : {}),
    ...(postgres === undefined ? {} : { EASEL_TEST_POSTGRES: postgres }),
    ...(template === undefined ? {} : { EASEL_TEST_TEMPLATE: template }),
    ...(citus === undefined ? {} : { EASEL_TEST_CITUS_NODES: citus.nodeUrls.join(' ') }),
    ...(chromium === undefined ? {} : { EASEL_TEST_CHROMIUM: chromium }),
  }
  const [alone, together] = [true, false].map((wanted) => files.filter((path) => path.includes('.alone.') === wanted))
  try {
    await Promise.all(Array.from({ length: availableParallelism() + extraProcesses }, () => runQueue(together!, env)))
    await runQueue(alone!, env)
  } finally {
    rmSync(statuses, { recursive: true, force: true })
  }
  // The durations of some files would replace those of all.
  if (values.durations && values.complete && positionals.length === 0) writeDurations(root, seconds)
}

/** Returns the given files, or all. Without a browser it skips those that need one. */
function filesToRun(chromium: string | undefined): string[] {
  const wanted = positionals.map((path) => path.replaceAll('\\', '/').replace(/^\.\//, ''))
  for (const path of wanted.filter((path) => !existsSync(join(root, path)))) fail(path, `There is no file ${path}.`)
  const files =
    wanted.length > 0 ? wanted.filter((path) => existsSync(join(root, path))) : listTestFiles(root, values.long)
  if (chromium !== undefined) return files
  const needing = files.filter((path) => path.startsWith('test/dashboard/'))
  if (needing.length > 0) missing(`Chromium was not found: ${needing.length} files in test/dashboard are skipped.`)
  else tally.remarks.push('Chromium was not found; no suite needs it yet.')
  tally.skipped += needing.length
  return files.filter((path) => !needing.includes(path))
}

async function runQueue(queue: string[], env: Readonly<Record<string, string>>): Promise<void> {
  const deadlineMs = values.long ? longFileDeadlineMs : fileDeadlineMs
  await runTestFiles(root, queue, { env, deadlineMs, signal: interruption.signal }, count)
}

function count({ path, passed, failed, skipped, seconds: took, report }: FileResult): void {
  seconds.set(path, took)
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ]
  line(failed === 0, took, `${path}, ${counts.join(', ')}`)
  tally.passed += passed
  tally.skipped += skipped.length
  tally.remarks.push(...skipped.map(({ text }) => `Skipped: ${text || `a test of ${path} without a reason`}`))
  if (failed > 0) fail(path, report, failed)
}

function line(passed: boolean, seconds: number, name: string): void {
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s  ${name}\n`)
}

function fail(name: string, report: string, number = 1): void {
  tally.failed += number
  tally.failures.push(name)
  process.stdout.write(`\n---- ${name}\n${report}\n----\n\n`)
}

/** Notes that a program is missing, which is a failure with CI=true. */
function missing(remark: string): void {
  tally.remarks.push(remark)
  if (process.env.CI === 'true') fail('CI=true', remark)
}

/** Prints the summary. Other programs read the last line, so its format must not change. */
function summarise(): void {
  if (interruption.signal.aborted) fail('interrupted', 'The run was interrupted.')
  const { passed, failed, skipped, failures } = tally
  const remarks = Object.entries(Object.groupBy(tally.remarks, (remark) => remark))
  const lines = remarks.map(([remark, same]) => (same!.length > 1 ? `${remark} (${same!.length} times)` : remark))
  if (failures.length > 0) lines.push(`Failed: ${failures.join(', ')}`)
  lines.push(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`)
  process.stdout.write(`\n${lines.join('\n')}\n`)
}
