import { exportSize } from './bodies.ts'
import { columnsOf, drive, type Effort } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Stage } from './stage.ts'

const seed = 303

/** Exports one after the other over one connection: people with a history, all fields that have a source. */
export async function benchExport(stage: Stage, effort: Effort): Promise<Figure[]> {
  const { server, nowMs, postmaster, database, people } = stage
  const among = Math.min(effort.withHistory, people)
  const requests = {
    kind: 'export',
    people: among,
    count: effort.bodies,
    seed,
    nowMs,
    apiKey,
    firstNewcomer: 0,
  } as const
  const driven = await drive({ port: server.port, connections: 1, requests }, { pid: server.pid, postmaster }, effort)
  return [
    { what: `export of ${exportSize}`, database, people, value: driven.p50Ms, unit: 'ms', ...columnsOf(driven, 1) },
  ]
}
