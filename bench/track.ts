import type { BodyKind } from './bodies.ts'
import { type Driven, drive, type Effort, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Stage } from './stage.ts'

const seeds: Record<BodyKind, number> = { events: 101, mixed: 202, rare: 303 }

/** Updates a second, durable when answered: events of known people, then the mix with newcomers, e-mails and operators. */
export async function benchTrack(stage: Stage, effort: Effort): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const kind of ['events', 'mixed'] as const) {
    const { database, people } = stage
    figures.push({ what: `track ${kind}`, database, people, ...perUpdate(await driveTrack(stage, kind, effort)) })
  }
  return figures
}

/** Drives the service with bodies of one kind. */
export function driveTrack(stage: Stage, kind: BodyKind, effort: Effort): Promise<Driven> {
  const { people, nowMs, server, postmaster } = stage
  const order = {
    port: server.port,
    connections: effort.connections,
    requests: { kind, people, count: effort.bodies, seed: seeds[kind], nowMs, apiKey, firstNewcomer: 0 },
  }
  return drive(order, { pid: server.pid, postmaster }, effort)
}
