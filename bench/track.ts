import type { BodyKind } from './bodies.ts'
import { drive, type Effort, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Stage } from './stage.ts'

const seeds: Record<BodyKind, number> = { events: 101, mixed: 202 }

/** Updates a second, durable when answered: events of known people, then the mix with newcomers, e-mails and operators. */
export async function benchTrack(stage: Stage, effort: Effort): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const kind of ['events', 'mixed'] as const) {
    const { people, nowMs, server, postmaster } = stage
    const order = {
      port: server.port,
      connections: effort.connections,
      requests: { kind, people, count: effort.bodies, seed: seeds[kind], nowMs, apiKey, firstNewcomer: 0 },
    }
    const driven = await drive(order, { pid: server.pid, postmaster }, effort)
    figures.push({ what: `track ${kind}`, database: stage.database, people, ...perUpdate(driven) })
  }
  return figures
}
