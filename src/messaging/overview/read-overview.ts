import type { Call } from '../../base/call.ts'
import type { Clock } from '../../base/clock.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { kept } from '../../base/work/kept.ts'
import { countPeople } from '../../people/search/count-people.ts'
import { readTraffic, readUpdatesAMinute } from '../../workspace/traffic/read-traffic.ts'
import { allChannels } from '../channels/channels.ts'
import { describeOrders } from '../expansion/list-orders.ts'
import { listPaused, listUnderWay } from '../expansion/order-list-store.ts'
import { countUndecided } from '../lookup/list-store.ts'
import { lookedAtMax } from '../lookup/schema.ts'
import { type AttentionFacts, attentionOf, overviewSentence } from './attention.ts'
import { dueCountMax, listDue, listPausedFlows } from './due-store.ts'
import type { OutcomeReader } from './read-outcomes.ts'
import {
  type Due,
  describedOrdersMax,
  type OverviewReply,
  overviewHoursDefault,
  overviewHoursMax,
  pausedFlowsMax,
} from './schema.ts'

export type OverviewServices = {
  readonly clock: Pick<Clock, 'now' | 'elapsed'>
  /** Undefined in a process that does not deliver. */
  readonly delivery: { trouble(channel: string, workspace_id: number): string | undefined } | undefined
  readonly outcomes: OutcomeReader
}

/** An overview is at most so old. */
const keptMs = 5_000
/** The most overviews that are kept: of workspaces, and of their hours. */
const overviewsMax = 500
const hoursForm = /^\d{1,4}$/

/** Reads `?hours=`. Throws 400. */
export function readHours(query: Query): number {
  const given = readSingle(query, 'hours')
  if (given === undefined) return overviewHoursDefault
  const hours = hoursForm.test(given) ? Number(given) : 0
  if (hours >= 1 && hours <= overviewHoursMax) return hours
  throw invalid(`'hours' must be an integer from 1 to ${overviewHoursMax}`)
}

/** Returns a reader of overviews. What many ask at the same time, or soon after one another, is read once. */
export function overviewReader(services: OverviewServices) {
  const overviews = kept<OverviewReply>(keptMs, overviewsMax)
  return (call: Call, workspace_id: number, hours: number): Promise<OverviewReply> => {
    const read = () => readOverview(call, workspace_id, hours, services)
    return overviews(`${workspace_id} ${hours}`, services.clock.elapsed(), read)
  }
}

async function readOverview(
  { db }: Pick<Call, 'db'>,
  workspace_id: number,
  hours: number,
  { clock, delivery, outcomes }: OverviewServices,
): Promise<OverviewReply> {
  const [nowMs, machineMs] = [clock.now(), clock.elapsed()]
  const traffic = await readTraffic(db, workspace_id, hours, machineMs)
  const due = (await listDue(db, workspace_id)).map(({ work, waiting, next_at }): Due => {
    // People are changed at once, and the stamps of their items are in machine time.
    const late = next_at ? (work === 'people' ? machineMs : nowMs) - next_at.getTime() : 0
    return {
      work,
      waiting,
      is_more: waiting >= dueCountMax,
      next_at: next_at?.toISOString() ?? null,
      late_ms: Math.max(Math.round(late), 0),
    }
  })
  const pausedOrders = await listPaused(db, workspace_id, describedOrdersMax)
  const undecided = await countUndecided(db, workspace_id, lookedAtMax)
  const attention = attentionOf({
    troubles: troublesOf(delivery, workspace_id),
    due,
    failedRequests: traffic.failed,
    hours,
    uncertain: undecided.uncertain,
    setAside: undecided.set_aside,
    pausedFlows: await listPausedFlows(db, workspace_id, pausedFlowsMax),
    pausedOrders: await describeOrders({ db }, workspace_id, pausedOrders),
  })
  const { stepMs, ...requests } = traffic
  return {
    at: new Date(machineMs).toISOString(),
    clock_at: new Date(nowMs).toISOString(),
    sentence: overviewSentence(attention.length),
    is_well: attention.length === 0,
    attention,
    people: await countPeople(db, workspace_id),
    updates_a_minute: await readUpdatesAMinute(db, workspace_id, machineMs),
    requests: { ...requests, step_ms: stepMs },
    outcomes: await outcomes.read(db, workspace_id, hours),
    due,
    under_way: await describeOrders({ db }, workspace_id, await listUnderWay(db, workspace_id, describedOrdersMax)),
  }
}

/** Returns what is wrong with the servers of channels. */
function troublesOf(delivery: OverviewServices['delivery'], workspace_id: number): AttentionFacts['troubles'] {
  return allChannels().flatMap(({ name, words }) => {
    const cause = delivery?.trouble(name, workspace_id)
    return cause === undefined ? [] : [{ cause, waiting: words.waiting }]
  })
}
