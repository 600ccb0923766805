import { setTimeout as sleep } from 'node:timers/promises'
import { updatesPerBody } from './bodies.ts'
import { type CpuReading, cpuBetween, readCpu } from './cpu.ts'
import { type Load, startLoad } from './load.ts'
import type { LoadCounts, LoadOptions } from './load-protocol.ts'
import { profiled } from './profile.ts'
import { type Figure, print } from './report.ts'

/** How much is done and for how long. `quick` is a smoke test whose figures mean nothing. */
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
  rowsPerCopy: 200_000,
  withHistory: 100,
}

const warmUpMaxMs = 60_000
/** The warm-up ends when the rate rises by no more than this share. */
const riseMax = 0.05

export type MeasuredProcesses = { pid: number; postmaster?: number | undefined }

export type LoadResult = LoadCounts & { cpu: CpuReading; perSecond: number; otherCores: number }

/**
 * Warms up until every request was sent once and the rate does not rise any more: at first buffers are empty and full pages go to the
 * log. One connection need not send all of them. Then measures the load and the CPU time of all processes over the same span.
 */
export async function driveLoad(options: LoadOptions, watched: MeasuredProcesses, effort: Effort): Promise<LoadResult> {
  await using load = await startLoad(options)
  await warmUp(load, options, effort)
  const before = readCpu(watched.pid, watched.postmaster)
  const counts = await profiled(`${options.requests.kind} over HTTP`, watched.pid, async () => {
    await sleep(effort.measureMs)
    return load.read()
  })
  const cpu = cpuBetween(before, readCpu(watched.pid, watched.postmaster))
  for (const refusal of counts.refusals) print(`not accepted: ${refusal}`)
  if (counts.requests === 0) throw new Error('the load got no answer')
  const othersUs = cpu.machineUs - cpu.nodeUs - cpu.databaseUs - counts.cpuUs
  return {
    ...counts,
    cpu,
    perSecond: counts.requests / counts.seconds,
    otherCores: Math.max(0, othersUs / counts.seconds / 1_000_000),
  }
}

async function warmUp(load: Load, options: LoadOptions, effort: Effort): Promise<void> {
  let missing = options.requests.count
  let most = 0
  for (let turns = Math.ceil(warmUpMaxMs / effort.warmUpMs); turns > 0; turns--) {
    await sleep(effort.warmUpMs)
    const { requests, refusals } = await load.read()
    for (const refusal of refusals) print(`not accepted: ${refusal}`)
    missing -= requests
    const rises = requests > most * (1 + riseMax)
    if ((options.connections === 1 || missing <= 0) && !rises) return
    most = Math.max(most, requests)
  }
}

/** Returns the columns of a figure, with the CPU time for each of `each` parts of a request. The embedded database is in `nodeUs`. */
export function columnsOf(driven: LoadResult, each: number) {
  const { p50Ms, p99Ms, failed, otherCores, cpu } = driven
  const count = driven.requests * each
  const database = cpu.databaseUs === 0 ? {} : { databaseUs: cpu.databaseUs / count }
  return { p50Ms, p99Ms, nodeUs: cpu.nodeUs / count, ...database, failed, otherCores }
}

/** Returns the columns of a figure of track requests, per update. */
export function perUpdate(driven: LoadResult) {
  const value = driven.perSecond * updatesPerBody
  return { value, unit: 'updates/s' as const, ...columnsOf(driven, updatesPerBody) }
}

/** Returns the figure whose columns are the medians of measurements of the same thing. */
export function medianFigure(measured: readonly Figure[]): Figure {
  const { what, database, people, unit } = measured[0]!
  const columns = ['p50Ms', 'p99Ms', 'nodeUs', 'databaseUs', 'otherCores'] as const
  const medians = columns.flatMap((column): [string, number][] => {
    const values = measured.map((each) => each[column]).filter((value) => value !== undefined)
    return values.length === 0 ? [] : [[column, median(values)]]
  })
  const value = median(measured.map((each) => each.value))
  const failed = measured.reduce((sum, each) => sum + (each.failed ?? 0), 0)
  return {
    what,
    database,
    ...(people !== undefined && { people }),
    value,
    unit,
    failed,
    ...Object.fromEntries(medians),
  }
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Returns the value that this share of the values does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)]!
}
