import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { cpuBetween, readCpu } from './cpu.ts'
import type { Effort } from './measure.ts'
import type { Figure } from './report.ts'
import { type Server, startServer } from './server.ts'

/** After the start the service compiles, reads and removes what is old. */
const settleMs = 30_000
const measureMs = 60_000
const quickMs = 3_000
const kbPerMb = 1024

export const restNames = ['CPU at rest', 'memory at rest'] as const

/** Measures what the service takes while nobody asks it anything: CPU time with that of its database, and memory of its own process. */
export async function benchRest(cluster: Cluster | undefined, { quick }: Effort): Promise<Figure[]> {
  await using directory = makeTemporaryFolder('rest')
  const databaseUrl = cluster && (await cluster.createDatabase('rest'))
  await using server = await startServer({
    directory: directory.path,
    ...(databaseUrl !== undefined && { databaseUrl }),
  })
  await sleep(quick ? quickMs : settleMs)
  const database = cluster ? 'postgres' : 'pglite'
  const spanMs = quick ? quickMs : measureMs
  const before = readCpu(server.pid, cluster?.postmaster)
  await sleep(spanMs)
  const { nodeUs, databaseUs } = cpuBetween(before, readCpu(server.pid, cluster?.postmaster))
  const perSecond = (us: number) => us / (spanMs / 1_000)
  return [
    {
      ...{ what: restNames[0], database, unit: '%', value: (perSecond(nodeUs + databaseUs) / 1_000_000) * 100 },
      nodeUs: perSecond(nodeUs),
      ...(cluster && { databaseUs: perSecond(databaseUs) }),
    },
    { what: restNames[1], database, unit: 'MB', value: residentMb(server) },
  ]
}

/** Returns the memory of the process and of those that it has started, such as the renderers. */
function residentMb({ pid }: Server): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / kbPerMb
}
