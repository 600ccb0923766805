import { exportSize, subscriptionSize } from './bodies.ts'
import { columnsOf, drive, type Effort } from './measure.ts'
import type { LoadOrder } from './order.ts'
import type { Figure } from './report.ts'
import { apiKey } from './server.ts'
import type { Stage } from './stage.ts'

/** Exports one after the other over one connection: people with a history, all fields that have a source. */
export function benchExport(stage: Stage, effort: Effort): Promise<Figure[]> {
  const people = Math.min(effort.withHistory, stage.people)
  return benchAlone(stage, effort, `export of ${exportSize}`, { kind: 'export', people, seed: 303 })
}

/** Requests that set a group for 50 e-mails, one after the other over one connection. */
export function benchSubscription(stage: Stage, effort: Effort): Promise<Figure[]> {
  const what = `state for ${subscriptionSize} e-mails`
  return benchAlone(stage, effort, what, { kind: 'subscription', people: stage.people, seed: 505 })
}

type Alone = Pick<LoadOrder['requests'], 'kind' | 'people' | 'seed'>

/** How long a request takes when nothing else is asked. */
async function benchAlone(stage: Stage, effort: Effort, what: string, alone: Alone): Promise<Figure[]> {
  const { server, nowMs, postmaster, database, people } = stage
  const requests = { ...alone, count: effort.bodies, nowMs, apiKey, firstNewcomer: 0 }
  const driven = await drive({ port: server.port, connections: 1, requests }, { pid: server.pid, postmaster }, effort)
  return [{ what, database, people, value: driven.p50Ms, unit: 'ms', ...columnsOf(driven, 1) }]
}
