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
  readonly memoryMb: number
}

/** Milliseconds, CPU microseconds here and in the database, and how much memory there was on top while it lasted. */
export async function spend(postmaster: number | undefined, work: () => Promise<unknown>): Promise<Spent> {
  collectGarbage()
  const start = process.memoryUsage()
  let bytes = 0
  const sampling = setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage()
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
  return { ms, nodeUs, databaseUs, memoryMb: bytes / megabyte }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}
