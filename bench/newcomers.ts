import { driveLoad, type Effort, perUpdate } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Setup } from './setup.ts'

const seed = 404
/** The mixed load creates people with lower numbers. */
const firstNewcomer = 500_000_000_000

export const newcomersName = 'people created'

/** Measures how many people a second are created, each by an update with an external id, an e-mail address and attributes. */
export async function benchNewcomers(setup: Setup, effort: Effort): Promise<Figure[]> {
  const { database, people, nowMs, server, postmaster } = setup
  const driven = await driveLoad(
    {
      port: server.port,
      connections: effort.connections,
      requests: { kind: 'newcomers', people, count: effort.bodies, seed, nowMs, apiKey, firstNewcomer },
    },
    { pid: server.pid, postmaster },
    effort,
  )
  return [{ what: newcomersName, database, people, ...perUpdate(driven) }]
}
