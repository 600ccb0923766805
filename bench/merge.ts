import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { pairsOf } from './bound-merge.ts'
import { cpuBetween, readCpu } from './cpu.ts'
import type { Figure } from './report.ts'
import { externalIdOf } from './samples.ts'
import type { Setup } from './setup.ts'

const mergesPerRequest = 50
const pollMs = 5

/** Measures merges a second, from the first request until the last pair is merged. Requests are faster than merges. */
export async function benchMerge(setup: Setup): Promise<Figure[]> {
  const { server, postmaster, database, people } = setup
  const { first, count } = pairsOf(people).service
  const updates = Array.from({ length: count }, (_, i) => ({
    identifier_to_merge: { external_id: externalIdOf(first + 2 * i) },
    identifier_to_keep: { external_id: externalIdOf(first + 2 * i + 1) },
  }))
  const before = readCpu(server.pid, postmaster)
  const startedMs = performance.now()
  for (let i = 0; i < updates.length; i += mergesPerRequest) {
    await server.post('/users/merge', { merge_updates: updates.slice(i, i + mergesPerRequest) })
  }
  while (await isWorking(setup)) await sleep(pollMs)
  const seconds = (performance.now() - startedMs) / 1000
  const cpu = cpuBetween(before, readCpu(server.pid, postmaster))
  return [
    {
      what: 'merges',
      database,
      people,
      value: updates.length / seconds,
      unit: 'merges/s',
      nodeUs: cpu.nodeUs / updates.length,
      ...(postmaster === undefined ? {} : { databaseUs: cpu.databaseUs / updates.length }),
    },
  ]
}

async function isWorking({ server }: Setup): Promise<boolean> {
  for (const state of ['waiting', 'moving']) {
    const { work } = (await server.read(`/admin/work?state=${state}&limit=1`)) as { work: unknown[] }
    if (work.length > 0) return true
  }
  return false
}
