import type { BodyKind } from './bodies.ts'
import { driveLoad, type Effort, type LoadResult, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Setup } from './setup.ts'

type TrackedKind = Exclude<BodyKind, 'newcomers'>

const seeds: Record<TrackedKind, number> = { events: 101, mixed: 202, rare: 303 }

/** The new people of a round have numbers of their own. */
const newcomersOfRound = 10_000_000_000

/**
 * Measures updates a second, durable when answered: events of known people, then the mix with new people, e-mails and operators. `round`:
 * how often the same service was measured before.
 */
export async function benchTrack(setup: Setup, effort: Effort, round: number): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const kind of ['events', 'mixed'] as const) {
    const { database, people } = setup
    figures.push({
      what: `track ${kind}`,
      database,
      people,
      ...perUpdate(await driveTrack(setup, kind, effort, round)),
    })
  }
  return figures
}

export type TrackedService = Pick<Setup, 'people' | 'nowMs' | 'server' | 'postmaster'>

/** Sends bodies of one kind to the service. */
export function driveTrack(setup: TrackedService, kind: TrackedKind, effort: Effort, round = 0): Promise<LoadResult> {
  const { people, nowMs, server, postmaster } = setup
  const firstNewcomer = round * newcomersOfRound
  const options = {
    port: server.port,
    connections: effort.connections,
    requests: { kind, people, count: effort.bodies, seed: seeds[kind], nowMs, apiKey, firstNewcomer },
  }
  return driveLoad(options, { pid: server.pid, postmaster }, effort)
}
