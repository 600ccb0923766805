import type { BodyKind } from './bodies.ts'
import { driveLoad, type Effort, type LoadResult, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Setup } from './setup.ts'

type TrackedKind = Exclude<BodyKind, 'newcomers'>

const seeds: Record<TrackedKind, number> = { events: 101, mixed: 202, rare: 303 }

/** Measures updates a second, durable when answered: events of known people, then the mix with new people, e-mails and operators. */
export async function benchTrack(setup: Setup, effort: Effort): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const kind of ['events', 'mixed'] as const) {
    const { database, people } = setup
    figures.push({ what: `track ${kind}`, database, people, ...perUpdate(await driveTrack(setup, kind, effort)) })
  }
  return figures
}

export type TrackedService = Pick<Setup, 'people' | 'nowMs' | 'server' | 'postmaster'>

/** Sends bodies of one kind to the service. */
export function driveTrack(setup: TrackedService, kind: TrackedKind, effort: Effort): Promise<LoadResult> {
  const { people, nowMs, server, postmaster } = setup
  const options = {
    port: server.port,
    connections: effort.connections,
    requests: { kind, people, count: effort.bodies, seed: seeds[kind], nowMs, apiKey, firstNewcomer: 0 },
  }
  return driveLoad(options, { pid: server.pid, postmaster }, effort)
}
