import { join } from 'node:path'
import { runStep, steps } from './steps.ts'
import { type FileResult, listTestFiles, runTestFiles } from './suites.ts'

const fileDeadlineMs = 10 * 60_000
const root = join(import.meta.dirname, '..')
const interruption = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => interruption.abort())

process.exitCode = (await check()) ? 0 : 1

/** Checks types, lint, structure and rules, which must pass before each commit. Stops at the first failure. */
async function check(): Promise<boolean> {
  for (const [name, args] of Object.entries(steps)) {
    const { passed, seconds, report } = await runStep(root, args, interruption.signal)
    say(passed, seconds, name, report)
    if (!passed) return false
  }
  const rules = listTestFiles(root, false).filter((path) => path.startsWith('test/rules/'))
  const queue = ['test/structure.test.ts', ...rules]
  let hasFailed = false
  const onResult = (result: FileResult) => {
    say(result.failed === 0, result.seconds, `${result.path}, ${result.passed} passed`, result.report)
    if (result.failed === 0) return
    hasFailed = true
    queue.length = 0
  }
  await runTestFiles(root, queue, { env: {}, deadlineMs: fileDeadlineMs, signal: interruption.signal }, onResult)
  return !hasFailed
}

function say(passed: boolean, seconds: number, name: string, report: string): void {
  process.stdout.write(`${passed ? 'ok  ' : 'FAIL'} ${seconds.toFixed(1).padStart(6)} s  ${name}\n`)
  if (!passed) process.stdout.write(`\n${report}\n`)
}
