import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { long } from '../sizes.ts'
import type { Attacked } from './attacked.ts'
import type { Spawned } from './harness.ts'
import type { Attack, Waits } from './neighbour.ts'
import { peakMemoryOf } from './peak-memory.ts'

/** The 99th percentile may grow this much under an attack. */
const slowdownMax = 5
/** Below it a slowdown is the noise of a machine that does nothing else. A mail passes through three processes and a database. */
const floorMs = { track: 250, mail: 500 }
/** An attack delays every round, a busy machine only some. */
const roundsMax = 5
/**
 * The usual run may share its machine with anything, so it only finds out what waits for a deadline or for the end of an attack: times may
 * be this many times longer. The long run, which has a machine to itself, asserts the times.
 */
export const patienceTimes = long ? 1 : 20
/** How much a program computes to find out how busy the machine is. */
const computedMs = 100
/** Megabytes of a service with its heap, buffers, and the embedded database if it has one. */
const memoryMbMax = { postgres: 700, embedded: 1_200 }

type P99 = Readonly<Record<keyof Waits, number>>

const lastQuiet = new WeakMap<object, P99>()

/**
 * Asserts that a small request and a transactional mail of a neighbour stay under five times their quiet 99th percentile during an attack
 * (in the long run; see `patienceTimes`), and that the service keeps to its memory. Says what it measured.
 */
export async function assertServed(t: TestContext, attacked: Attacked, attack: Attack): Promise<void> {
  const { neighbour } = attacked
  const measureQuiet = async () => p99sOf(await neighbour.measure((measured) => measured))
  const late = new Set(['track', 'mail'] as const)
  const facts: string[] = []
  let quiet = lastQuiet.get(neighbour) ?? (await measureQuiet())
  for (let round = 1; late.size > 0 && round <= roundsMax; round++) {
    const busyBefore = measureBusyness()
    const waits = await neighbour.measure(attack)
    const during = p99sOf(waits)
    const busy = Math.max(busyBefore, measureBusyness())
    const compare = () => {
      for (const kind of late) {
        const maxMs = Math.max(slowdownMax * quiet[kind], floorMs[kind] * busy)
        if (during[kind] < maxMs * patienceTimes) late.delete(kind)
      }
    }
    compare()
    const counts = `${waits.track.length}, ${waits.mail.length}`
    facts.push(`quiet ${textOf(quiet)}, under attack ${textOf(during)} (${counts}; busy ${busy.toFixed(1)})`)
    if (late.size > 0) {
      // The machine may be busier than it was.
      quiet = await measureQuiet()
      compare()
    }
  }
  lastQuiet.set(neighbour, quiet)
  const report = `p99 of a request and a mail in ms: ${facts.join('; ')}`
  t.diagnostic(report)
  assert.equal(late.size, 0, report)
  assertMemory(t, attacked)
}

/**
 * Returns how many times longer than its processor time some work takes now, because other programs use the processors: 1 on a machine that
 * does nothing else. Idle programs are not delayed by others as much, so quiet waits do not tell it.
 */
function measureBusyness(): number {
  const startMs = performance.now()
  const before = process.cpuUsage()
  for (;;) {
    const { user, system } = process.cpuUsage(before)
    const usedMs = (user + system) / 1_000
    if (usedMs >= computedMs) return Math.max(1, (performance.now() - startMs) / usedMs)
  }
}

/** Asserts that a service has not taken more memory than it may. Says how much that was. */
export function assertMemory(t: TestContext, { pid, databaseUrl }: Pick<Spawned, 'pid' | 'databaseUrl'>): void {
  const peak = peakMemoryOf(pid)
  if (peak === undefined) {
    t.diagnostic('this system does not tell the memory of a process')
    return
  }
  t.diagnostic(`memory so far: ${peak.own} MB`)
  const mostMb = databaseUrl === undefined ? memoryMbMax.embedded : memoryMbMax.postgres
  assert.ok(peak.own < mostMb, `the service has taken ${peak.own} MB of at most ${mostMb}`)
}

/** Asserts that some work takes less than this. */
export async function assertSoon(maxMs: number, what: string, work: () => Promise<unknown>): Promise<void> {
  await assertBelow(maxMs, what, async () => {
    const startMs = performance.now()
    await work()
    return performance.now() - startMs
  })
}

/**
 * Asserts that a time is less than this, or than as many times more as the machine is busy. A busy machine delays some rounds, a defect all
 * of them.
 */
export async function assertBelow(maxMs: number, what: string, measure: () => Promise<number>): Promise<void> {
  const rounds: string[] = []
  while (rounds.length < roundsMax) {
    const took = await measure()
    if (took < maxMs) return
    const busy = measureBusyness()
    if (took < maxMs * busy) return
    rounds.push(`${took.toFixed()} (busy ${busy.toFixed(1)})`)
  }
  assert.fail(`${what} took ${rounds.join(', ')} ms of at most ${maxMs}`)
}

function p99sOf({ track, mail }: Waits): P99 {
  return { track: p99Of(track), mail: p99Of(mail) }
}

function textOf({ track, mail }: P99): string {
  return `${track.toFixed()} and ${mail.toFixed()}`
}

function p99Of(waits: readonly number[]): number {
  return waits.toSorted((a, b) => a - b)[Math.floor(waits.length * 0.99)]!
}
