import type { Call } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import { dayOf, daysBefore, startOfDay } from '../../base/days.ts'
import type { Tx } from '../../base/db/db.ts'
import { readOnlySnapshot } from '../../base/db/transaction-settings.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { kept } from '../../base/work/kept.ts'
import type { Workspaces } from '../../workspace/settings/workspaces.ts'
import { beginningMs } from '../../workspace/tallies/read-tally.ts'
import { sumTally } from '../../workspace/tallies/tally-store.ts'
import { parseStepPart, stepSubject } from '../entries/step-tally.ts'
import { findFlow, unknownFlow } from '../flows/find-flows.ts'
import { type Flow, type FlowKind, sentBy } from '../flows/flow.ts'
import { conversionMeasure, flowSubject } from '../flows/flow-tally.ts'
import type { Graphs } from '../flows/graphs.ts'
import { readFlowCounts } from '../series/flow-counts.ts'
import { countSteps, outcomesOf } from './count-steps.ts'
import { ratesOfStep } from './message-rates.ts'
import { longestLookedAtMax, type StandingReply, standingHoursMax } from './schema.ts'
import { countStanding, findLongest, type WaitingRow } from './standing-store.ts'

export type StandingServices = {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  readonly graphs: Graphs
  readonly workspaces: Workspaces
}

/** A flow in a path of the administration. */
export type FlowPath = { readonly workspace_id: number; readonly kind: FlowKind; readonly id: string }

/** What a reader reads: `version` undefined is the current one, `hours` undefined is everything that is kept. */
export type StandingOf = FlowPath & { readonly version: number | undefined; readonly hours: number | undefined }

/** An answer is at most so old. */
const keptMs = 5_000
/** The most answers that are kept. */
const standingsMax = 500
const hourMs = 3_600_000
/** The greatest number of a version that the database takes. */
export const numberMax = 2 ** 31 - 1
const wholeForm = /^[1-9]\d{0,8}$/

/** Reads a whole number from 1 to `max`. Throws 400. */
export function readNumber(query: Query, name: string, max: number): number | undefined {
  const given = readSingle(query, name)
  if (given === undefined) return undefined
  const number = wholeForm.test(given) ? Number(given) : 0
  if (number >= 1 && number <= max) return number
  throw invalid(`'${name}' must be an integer from 1 to ${max}`)
}

export function readHours(query: Query): number | undefined {
  return readNumber(query, 'hours', standingHoursMax)
}

/** Returns the canvas or campaign of a path. Throws 404. */
export async function getFlowAt(tx: Tx, { workspace_id, kind, id }: FlowPath): Promise<Flow> {
  const flow = await findFlow(tx, workspace_id, kind, id)
  if (!flow) throw unknownFlow(kind, id)
  return flow
}

/** Returns the version that a query names, the current one by default. Throws 400. */
export function versionOf(
  { version: newest }: Pick<Flow, 'version'>,
  given: number | undefined,
  name = 'version',
): number {
  if (given !== undefined && given > newest) throw invalid(`'${name}' must be an integer from 1 to ${newest}`)
  return given ?? newest
}

/** Returns a reader of where people stand in a flow. What many ask at the same time, or soon after one another, is read once. */
export function standingReader(services: StandingServices) {
  const standings = kept<StandingReply>(keptMs, standingsMax)
  return (call: Pick<Call, 'db'>, of: StandingOf): Promise<StandingReply> => {
    const key = JSON.stringify([of.workspace_id, of.kind, of.id, of.version, of.hours])
    return standings(key, services.clock.elapsed(), () => readStanding(call, of, services))
  }
}

async function readStanding(
  { db }: Pick<Call, 'db'>,
  of: StandingOf,
  { clock, graphs, workspaces }: StandingServices,
): Promise<StandingReply> {
  const nowMs = clock.now()
  const zone = workspaces.get(of.workspace_id).settings.time_zone
  const today = dayOf(nowMs, zone)
  const since = of.hours === undefined ? undefined : dayOf(nowMs - of.hours * hourMs, zone)
  const startsMs = [
    since === undefined ? beginningMs : startOfDay(since, zone),
    startOfDay(daysBefore(today, -1), zone),
  ] as const
  return db.transaction(
    async (tx) => {
      const flow = await getFlowAt(tx, of)
      const version = versionOf(flow, of.version)
      const place = { ...of, flow_id: flow.flow_id, version }
      const waiting = await countStanding(tx, flow.flow_id)
      const longest = await findLongest(tx, place, stepsToLookAt(waiting.filter((row) => row.version === version)))
      const counted = await sumTally(tx, stepSubject(place), startsMs)
      const parts = counted.map(({ part, count }) => ({ part: parseStepPart(part), count }))
      const graph = await graphs.get(tx, flow.flow_id, version)
      const { entered, starts, ended, steps } = countSteps(parts, graph)
      const counts = await readFlowCounts(tx, flowSubject(flow), { startsMs })
      const people = new Map(waiting.filter((row) => row.version === version).map((row) => [row.step, row]))
      return {
        at: new Date(nowMs).toISOString(),
        ...{ version, since: since ?? null },
        versions: versionsOf(waiting, flow.version),
        ...{ entered, starts, ended },
        converted: counts.count(conversionMeasure(0)),
        steps: Object.fromEntries(
          Object.entries(steps).map(([id, own]) => {
            const sinceMs = longest.get(id)
            const { waiting = 0, held = 0 } = people.get(id) ?? {}
            const longest_ms = sinceMs === undefined ? null : Math.max(nowMs - sinceMs, 0)
            const step = graph.steps.get(id)
            const channel = sentBy(step)?.channel ?? step?.type ?? ''
            const rates = ratesOfStep(step, flow.kind, counts)
            return [id, { waiting, longest_ms, held, ...own, ...outcomesOf(own, channel), rates }]
          }),
        ),
      }
    },
    { settings: readOnlySnapshot },
  )
}

/** Returns the steps whose entries are few enough to look at each: those with the fewest, as many as fit. */
function stepsToLookAt(rows: readonly WaitingRow[]): string[] {
  let lookedAt = 0
  return rows
    .toSorted((a, b) => a.waiting - b.waiting)
    .filter(({ waiting }) => {
      lookedAt += waiting
      return lookedAt <= longestLookedAtMax
    })
    .map(({ step }) => step)
}

/** Returns how many people are on each version that has any, and on the current one, the newest first. */
function versionsOf(rows: readonly WaitingRow[], current: number): StandingReply['versions'] {
  const counts = new Map([[current, 0]])
  for (const { version, waiting } of rows) counts.set(version, (counts.get(version) ?? 0) + waiting)
  return [...counts].sort(([a], [b]) => b - a).map(([version, waiting]) => ({ version, waiting }))
}
