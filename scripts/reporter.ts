import { appendFileSync } from 'node:fs'
import { inspect } from 'node:util'

type Event = {
  readonly type: string
  readonly data: {
    readonly name?: string
    readonly line?: number
    readonly nesting?: number
    readonly message?: string
    readonly skip?: string | boolean
    readonly details?: { readonly type?: string; readonly error?: Error & { failureType?: string; cause?: unknown } }
  }
}

const ownCounts = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/

/** An event of a test for the runner, as one line of JSON. `ended` is the last one of a file. */
export type Outcome = {
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'remark' | 'ended'
  readonly name: string
  /** The error of a failure, the reason of a skipped test, or the text of a remark. */
  readonly text?: string
}

/**
 * A reporter for node:test. A group counts only when it fails by itself, not when one of its tests fails. Each outcome is written at
 * once, because the next test may end the process.
 */
export default async function* outcomes(events: AsyncIterable<Event>): AsyncGenerator<string> {
  const write = (outcome: Outcome) => appendFileSync(process.env.EASEL_TEST_OUTCOMES!, `${JSON.stringify(outcome)}\n`)
  for await (const event of events) {
    const outcome = outcomeOf(event)
    if (outcome) write(outcome)
    if (!isEndOfFile(event)) continue
    write({ outcome: 'ended', name: event.data.name ?? '' })
    // The runner reads what is written.
    if (process.connected) process.send?.({})
  }
  yield ''
}

/** The outermost groups are files (`run-files.ts`). */
function isEndOfFile({ type, data }: Event): boolean {
  return data.nesting === 0 && (type === 'test:pass' || type === 'test:fail')
}

function outcomeOf({ type, data }: Event): Outcome | undefined {
  const name = `${data.name ?? ''}${data.line === undefined ? '' : ` (line ${data.line})`}`
  if (type === 'test:diagnostic' && !ownCounts.test(data.message ?? '')) {
    return { outcome: 'remark', name, text: data.message ?? '' }
  }
  if (type === 'test:fail') {
    const error = data.details?.error
    if (error?.failureType === 'subtestsFailed') return
    return { outcome: 'failed', name, text: formatError(error?.cause ?? error) }
  }
  if (type !== 'test:pass' || data.details?.type === 'suite') return
  if (data.skip === undefined || data.skip === false) return { outcome: 'passed', name }
  return { outcome: 'skipped', name, text: typeof data.skip === 'string' ? data.skip : '' }
}

// The stack of an assertion shows what was expected; its members would only repeat that. Frames of Node itself are removed.
function formatError(error: unknown): string {
  // A test failed, and what it had opened could not be closed, perhaps because of that.
  if (error instanceof SuppressedError)
    return `${formatError(error.suppressed)}\nand then, when it was closed: ${formatError(error.error)}`
  const isAssertion = error instanceof Error && 'code' in error && error.code === 'ERR_ASSERTION'
  const words = isAssertion ? (error.stack ?? error.message) : inspect(error)
  return words
    .split('\n')
    .filter((line) => !/^\s+at .*\bnode:/.test(line))
    .join('\n')
}
