import { setTimeout as sleep } from 'node:timers/promises'
import { updatesPerBody } from './bodies.ts'
import { type CpuReading, cpuBetween, readCpu } from './cpu.ts'
import { type Load, startLoad } from './load.ts'
import type { LoadCounts, LoadOrder } from './order.ts'
import { say } from './report.ts'

/** How much is done and for how long; `quick` is a smoke run whose figures mean nothing. */
export type Effort = {
  quick: boolean
  connections: number
  bodies: number
  warmUpMs: number
  measureMs: number
  copies: number
  rowsPerCopy: number
  withHistory: number
}

export const fullEffort: Effort = {
  quick: false,
  connections: 64,
  bodies: 3000,
  warmUpMs: 3000,
  measureMs: 10_000,
  copies: 5,
  rowsPerCopy: 400_000,
  withHistory: 1000,
}

export const quickEffort: Effort = {
  ...fullEffort,
  quick: true,
  bodies: 300,
  warmUpMs: 300,
  measureMs: 700,
  copies: 3,
  rowsPerCopy: 20_000,
  withHistory: 100,
}

const warmUpMaxMs = 60_000
/** What answers no more than this share beyond its best turn is warm. */
const riseMax = 0.05

export type Watched = { pid: number; postmaster?: number | undefined }

export type Driven = LoadCounts & { cpu: CpuReading; perSecond: number; otherCores: number }

/**
 * Warms up until every request was sent once and the rate does not rise any more, so that what is measured is how it goes on and not how
 * it begins, with empty buffers and pages that go to the log whole; then watches the load and everybody's CPU for the same span.
 */
export async function drive(order: LoadOrder, watched: Watched, effort: Effort): Promise<Driven> {
  await using load = await startLoad(order)
  await warmUp(load, order, effort)
  const before = readCpu(watched.pid, watched.postmaster)
  await sleep(effort.measureMs)
  const counts = await load.read()
  const cpu = cpuBetween(before, readCpu(watched.pid, watched.postmaster))
  for (const refusal of counts.refusals) say(`not accepted: ${refusal}`)
  if (counts.requests === 0) throw new Error('the load got no answer')
  const othersUs = cpu.machineUs - cpu.nodeUs - cpu.databaseUs - counts.cpuUs
  return {
    ...counts,
    cpu,
    perSecond: counts.requests / counts.seconds,
    otherCores: Math.max(0, othersUs / counts.seconds / 1_000_000),
  }
}

async function warmUp(load: Load, order: LoadOrder, effort: Effort): Promise<void> {
  let missing = order.requests.count
  let most = 0
  for (let turns = Math.ceil(warmUpMaxMs / effort.warmUpMs); turns > 0; turns--) {
    await sleep(effort.warmUpMs)
    const { requests, refusals } = await load.read()
    for (const refusal of refusals) say(`not accepted: ${refusal}`)
    missing -= requests
    const rises = requests > most * (1 + riseMax)
    if (order.connections === 1 || (missing <= 0 && !rises)) return
    most = Math.max(most, requests)
  }
}

/** A figure's columns, CPU per one of `each` parts of a request. The embedded database's CPU is in the service's. */
export function columnsOf(driven: Driven, each: number) {
  const { p50Ms, p99Ms, failed, otherCores, cpu } = driven
  const count = driven.requests * each
  const database = cpu.databaseUs === 0 ? {} : { databaseUs: cpu.databaseUs / count }
  return { p50Ms, p99Ms, nodeUs: cpu.nodeUs / count, ...database, failed, otherCores }
}

/** The columns of a figure of track requests: per update, not per request. */
export function perUpdate(driven: Driven) {
  const value = driven.perSecond * updatesPerBody
  return { value, unit: 'updates/s' as const, ...columnsOf(driven, updatesPerBody) }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}
