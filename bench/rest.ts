import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeTemporaryFolder } from './cleanup.ts'
import type { Cluster } from './cluster.ts'
import { exactUs, familyPids } from './cpu.ts'
import type { Effort } from './measure.ts'
import type { Figure } from './report.ts'
import { type Server, startServer } from './server.ts'

/** For so long after its start a service still compiles, reads and removes what is old. */
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
  const readNode = openReading([server.pid])
  const readDatabase = openReading(cluster ? familyPids(cluster.postmaster) : [])
  await sleep(spanMs)
  const nodeUs = readNode()
  const databaseUs = readDatabase()
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

/** Returns a function that returns the CPU time of processes since. Those that have ended meanwhile, such as a vacuum, are left out. */
function openReading(pids: readonly number[]): () => number {
  const before = pids.map((pid) => ({ pid, us: exactUs(pid) }))
  return () => before.reduce((sum, { pid, us = 0 }) => sum + (exactUs(pid) ?? us) - us, 0)
}

/** Returns the memory of the process. */
function residentMb({ pid }: Server): number {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1')
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)![1]) / kbPerMb
}
