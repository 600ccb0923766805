import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { cpuBetween, readCpu } from './cpu.ts'

const sampleEveryMs = 20
const megabyte = 2 ** 20

/** What some work in this process took; `databaseUs` is 0 where the database is in this process too. */
export type Spent = {
  readonly ms: number
  readonly nodeUs: number
  readonly databaseUs: number
  /** On top of what was there before. */
  readonly memoryMb: number
  /** By how much the process was larger in the second half than in the first: about nothing, however long it takes. */
  readonly growthMb: number
}

/** Milliseconds, CPU microseconds here and in the database, and memory while it lasted. */
export async function spend(postmaster: number | undefined, work: () => Promise<unknown>): Promise<Spent> {
  collectGarbage()
  const start = process.memoryUsage()
  let bytes = 0
  const sizes: number[] = []
  const sampling = setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage()
    sizes.push(rss)
    // What was freed before may be used again without the process growing.
    bytes = Math.max(bytes, rss - start.rss, heapUsed + external - start.heapUsed - start.external)
  }, sampleEveryMs)
  const before = readCpu(process.pid, postmaster)
  const startedMs = performance.now()
  try {
    await work()
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
