import type { Clock } from '../../base/clock.ts'
import { bucketCount } from '../../base/db/buckets.ts'
import type { Tx } from '../../base/db/db.ts'
import { toTimeZone } from '../../people/values/time-zones.ts'
import { completeSettings, type Settings } from '../../workspace/settings/settings.ts'
import { flowsById } from '../flows/find-flows.ts'
import type { Graphs } from '../flows/graphs.ts'
import { dateOf, missedZone } from '../orders/schedule.ts'
import type { ClaimedSlot } from '../orders/slot-store.ts'
import { findSettings } from '../orders/zone-store.ts'
import { type EngagedPerson, listEngaged, sampleEngaged } from './engagement-times-store.ts'
import type { FoundRecipient } from './find-recipients.ts'
import { addHistograms, type Histogram, histogramOf, optimalTime, type Timing } from './optimal-time.ts'

/** When messages to people are due, by `profile_id`. For people who are not in it they are due at once. */
export type Timings = ReadonlyMap<string, Timing>

const atOnce: Timings = new Map()
const dayMs = 24 * 60 * 60_000
/** Older engagements would weigh less than an eighth. */
const lookedBackMs = 90 * dayMs
/** How many buckets are sampled for the workspace, one size after the other until there are `enough` engagements. */
const sampleSizes = [64, 512, bucketCount]
const enough = 1_000

/** Finds the optimal times of people if the schedule asks for them. Refused people have none. */
export async function loadTimings(
  tx: Tx,
  claimed: ClaimedSlot,
  people: readonly FoundRecipient[],
  services: { clock: Pick<Clock, 'now'>; graphs: Pick<Graphs, 'get'> },
): Promise<Timings> {
  const { schedule, zone: slotZone, workspace_id } = claimed
  const sentTo = people.filter(({ refused }) => !refused)
  if (!schedule?.at_optimal_time || slotZone === missedZone || sentTo.length === 0) return atOnce
  const nowMs = services.clock.now()
  const settings = completeSettings(await findSettings(tx, workspace_id))
  const engaged = await listEngaged(
    tx,
    sentTo.map(({ person }) => person),
    nowMs - lookedBackMs,
  )
  const zoneOf = (one: EngagedPerson | undefined) => toTimeZone(one?.time_zone ?? '') ?? settings.time_zone
  const quiet = await loadQuietHours(tx, claimed, settings, services)
  const workspace = await sampleWorkspace(tx, workspace_id, zoneOf, nowMs)
  const { local } = schedule
  return new Map(
    sentTo.map(({ person: { profile_id } }) => {
      const one = engaged.get(profile_id)
      const zone = zoneOf(one)
      const own = one && histogramOf(one.engagements, zone, nowMs)
      return [profile_id, optimalTime({ own, workspace }, { date: dateOf(local), zone, local, profile_id, quiet })]
    }),
  )
}

async function sampleWorkspace(
  tx: Tx,
  workspace_id: number,
  zoneOf: (one: EngagedPerson) => string,
  nowMs: number,
): Promise<Histogram> {
  let found: readonly EngagedPerson[] = []
  for (const buckets of sampleSizes) {
    found = await sampleEngaged(tx, workspace_id, buckets, nowMs - lookedBackMs, enough)
    if (found.reduce((sum, { engagements }) => sum + engagements.length, 0) >= enough) break
  }
  return addHistograms(found.map((one) => histogramOf(one.engagements, zoneOf(one), nowMs)))
}

/** Returns the quiet hours that apply to a flow. */
async function loadQuietHours(
  tx: Tx,
  { sending: { flow }, class: kind }: ClaimedSlot,
  { quiet_hours }: Settings,
  { graphs }: { graphs: Pick<Graphs, 'get'> },
): Promise<Settings['quiet_hours']> {
  if (!flow || kind !== 'marketing' || !quiet_hours) return undefined
  const version = (await flowsById(tx, [flow.flow_id])).get(flow.flow_id)?.version
  const graph = version === undefined ? undefined : await graphs.get(tx, flow.flow_id, version)
  return graph && graph.quietHours !== 'ignore' ? quiet_hours : undefined
}
