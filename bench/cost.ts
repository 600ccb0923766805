import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cpuBetween, readCpu } from './cpu.ts'
import { profiled } from './profile.ts'

const sampleEveryMs = 20
const megabyte = 2 ** 20

/** The cost of some work in this process. `databaseUs` is 0 when the database is in this process too. */
export type Cost = {
  readonly ms: number
  readonly nodeUs: number
  readonly databaseUs: number
  /** Memory beyond that before the work. */
  readonly memoryMb: number
  /** The growth of the process in the second half of the work, which should be about 0 for any duration. */
  readonly growthMb: number
}

/** Measures the time, the CPU time and the memory of some work. With a name it is a hot path, which a run with `--profile` shows. */
export async function measureCost(
  postmaster: number | undefined,
  work: () => Promise<unknown>,
  what?: string,
): Promise<Cost> {
  collectGarbage()
  const start = process.memoryUsage()
  let bytes = 0
  const sizes: number[] = []
  const sampling = setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage()
    sizes.push(rss)
    // Memory that was freed before can be used again without growth of the process.
    bytes = Math.max(bytes, rss - start.rss, heapUsed + external - start.heapUsed - start.external)
  }, sampleEveryMs)
  const before = readCpu(process.pid, postmaster)
  const startedMs = performance.now()
  try {
    await (what === undefined ? work() : profiled(what, process.pid, work))
  } finally {
    clearInterval(sampling)
  }
  const ms = performance.now() - startedMs
  const { nodeUs, databaseUs } = cpuBetween(before, readCpu(process.pid, postmaster))
  const half = Math.ceil(sizes.length / 2)
  const growth = Math.max(0, ...sizes.slice(half)) - Math.max(start.rss, ...sizes.slice(0, half))
  return { ms, nodeUs, databaseUs, memoryMb: bytes / megabyte, growthMb: Math.max(0, growth) / megabyte }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
