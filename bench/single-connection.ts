import { exportSize, subscriptionSize } from './bodies.ts'
import type { LoadOptions } from './load-protocol.ts'
import { columnsOf, driveLoad, type Effort } from './measure.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Setup } from './setup.ts'

/** Measures exports one after another over one connection, of people with a history and with all fields. */
export function benchExport(setup: Setup, effort: Effort): Promise<Figure[]> {
  const people = Math.min(effort.withHistory, setup.people)
  return benchSingle(setup, effort, `export of ${exportSize}`, { kind: 'export', people, seed: 303 })
}

/** Measures requests that set a group for 50 e-mails, one after another over one connection. */
export function benchSubscription(setup: Setup, effort: Effort): Promise<Figure[]> {
  const what = `state for ${subscriptionSize} e-mails`
  return benchSingle(setup, effort, what, { kind: 'subscription', people: setup.people, seed: 505 })
}

type SingleLoad = Pick<LoadOptions['requests'], 'kind' | 'people' | 'seed'>

/** Measures how long a request takes without other requests. */
async function benchSingle(setup: Setup, effort: Effort, what: string, alone: SingleLoad): Promise<Figure[]> {
  const { server, nowMs, postmaster, database, people } = setup
  const requests = { ...alone, count: effort.bodies, nowMs, apiKey, firstNewcomer: 0 }
  const driven = await driveLoad(
    { port: server.port, connections: 1, requests },
    { pid: server.pid, postmaster },
    effort,
  )
  return [{ what, database, people, value: driven.p50Ms, unit: 'ms', ...columnsOf(driven, 1) }]
}
