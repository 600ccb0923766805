import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { isUnavailable } from '../../base/errors.ts'
import { parseUuid, sha256 } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { firstZone, lastZone } from '../../people/values/time-zones.ts'
import type { Graph, Recurrence } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { hasPlans, lockPlanned, type Planned, updatePlan } from '../flows/plan-store.ts'
import { type Occurrence, occurrencesOf } from '../flows/recurrence.ts'
import { changeOrderState } from '../orders/change-order-state.ts'
import { insertOrder, updateOrderContent, updateOrderState } from '../orders/order-store.ts'
import { leftoverZone, planSlots, type Schedule, zonedInstant } from '../orders/schedule.ts'
import { zonesMax } from '../orders/schedule-schema.ts'
import type { Sending } from '../orders/sending.ts'
import { insertSlots, reviveSlots } from '../orders/slot-store.ts'
import { findWorkspaceZone, listZones } from '../orders/zone-store.ts'
import { listPlannedOrders, type PlannedOrder } from './plan-recurring-store.ts'
import type { SkippedFlows } from './skipped-flows.ts'

export type PlanServices = {
  readonly db: Db
  readonly clock: Clock
  readonly graphs: Graphs
  readonly log: Log
  readonly wakeups: Wakeups
}

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** An order is made so long before its first slot is due. */
const leadMs = 10 * minuteMs
/** So long ago a local time may have come first that is still to come elsewhere. */
const behindMs = 26 * hourMs
/** A week and a day: every recurrence that goes on has a time in it. */
const aheadMs = 8 * dayMs

/**
 * Turns that make an order of each time of a schedule that is about to come, as if somebody had given it. The order of a time has always
 * the same id, so that a schedule that is planned anew makes none twice; orders of times that are not in it any more are cancelled. What
 * should have been planned while the service was away is planned as it would have been, and so is what could not be planned for a while:
 * it is put into `skipped`, and its times stay. Each answers whether there may be more.
 */
export function openPlanning(
  { db, clock, graphs, log, wakeups }: PlanServices,
  skipped: SkippedFlows,
): () => Promise<boolean> {
  return async () => {
    const others = skipped.list()
    if (!(await hasPlans(db, clock.now(), others))) return false
    let flow: Planned | undefined
    const [planned] = await Promise.allSettled([
      db.transaction(async (tx) => {
        flow = await lockPlanned(tx, clock.now(), others)
        if (flow) await plan(tx, flow, await graphs.graphOf(tx, flow.flow_id, flow.version), clock)
      }),
    ])
    if (planned.status === 'rejected') {
      if (isUnavailable(planned.reason) || !flow) throw planned.reason
      const { flow_id, kind, id } = flow
      log.error(
        { err: planned.reason, flow_id, kind, id },
        'a schedule cannot be planned and is left alone for an hour',
      )
      skipped.add(flow_id)
      return true
    }
    if (flow) wakeups.wake('expansion')
    return flow !== undefined
  }
}

async function plan(tx: Tx, flow: Planned, { entry, wanted }: Graph, clock: Clock): Promise<void> {
  const { flow_id, workspace_id, state, planMs } = flow
  const recurrence = state === 'active' ? entry.schedule : undefined
  const workspaceZone = await findWorkspaceZone(tx, workspace_id)
  const untilMs = planMs + leadMs + 1
  const occurrences = recurrence ? occurrencesOf(recurrence, workspaceZone, planMs - behindMs, untilMs) : []
  const known = await listPlannedOrders(tx, flow_id)
  const byId = new Map(known.map((order) => [order.dispatch_id, order]))
  for (const occurrence of occurrences) {
    const dispatch_id = orderIdOf(flow, occurrence)
    if (!isStillToCome(occurrence, planMs)) continue
    const before = byId.get(dispatch_id)
    if (!before) await order(tx, dispatch_id, flow, wanted, occurrence, workspaceZone, clock)
    else if (before.isCancelled) await revive(tx, before, flow, wanted, clock.now())
  }
  for (const { dispatch_id, schedule, isCancelled, waits } of known) {
    if (isCancelled || !waits || isMeant(flow, dispatch_id, schedule, entry.schedule, workspaceZone)) continue
    await changeOrderState(tx, dispatch_id, 'cancelled', clock.now())
  }
  await updatePlan(tx, flow_id, recurrence && nextPlan(recurrence, workspaceZone, untilMs))
}

function orderIdOf({ flow_id }: Planned, { local, zone }: Occurrence): string {
  return parseUuid(sha256(`plan/${flow_id}/${zone}/${local}`).toString('hex').slice(0, 32))!
}

function isStillToCome({ local, zone, firstMs }: Occurrence, fromMs: number): boolean {
  return zone === 'local' ? zonedInstant(lastZone, local) >= fromMs : firstMs >= fromMs
}

/** Whether the time of an order is one of the schedule's as it is by now. */
function isMeant(
  flow: Planned,
  dispatch_id: string,
  { in_local_time, local, at_ms }: Schedule,
  recurrence: Recurrence | undefined,
  workspaceZone: string,
): boolean {
  if (!recurrence) return false
  const firstMs = in_local_time ? zonedInstant(firstZone, local) : at_ms
  return occurrencesOf(recurrence, workspaceZone, firstMs, firstMs + 1).some(
    (occurrence) => orderIdOf(flow, occurrence) === dispatch_id,
  )
}

/** When it is planned next: before the next time, or when it is to be looked again for one. Pure. */
export function nextPlan(recurrence: Recurrence, workspaceZone: string, fromMs: number): number | undefined {
  const untilMs = fromMs + aheadMs
  const [next] = occurrencesOf(recurrence, workspaceZone, fromMs, untilMs)
  if (next) return next.firstMs - leadMs
  const isOver = recurrence.until !== undefined && Date.parse(recurrence.until) + 2 * dayMs < untilMs
  return isOver ? undefined : untilMs - leadMs
}

/** A schedule has come back to a time that it had left: the order of a time is always the same one. */
async function revive(
  tx: Tx,
  { dispatch_id, schedule }: PlannedOrder,
  flow: Planned,
  wanted: Graph['wanted'],
  nowMs: number,
): Promise<void> {
  await updateOrderContent(tx, dispatch_id, { schedule, sending: sendingOf(flow, wanted) }, nowMs)
  await updateOrderState(tx, dispatch_id, 'active', nowMs)
  await reviveSlots(tx, dispatch_id, nowMs)
}

function sendingOf({ flow_id, kind, id }: Planned, wanted: Graph['wanted']): Sending {
  return {
    broadcast: true,
    recipient_subscription_state: wanted,
    override_frequency_capping: false,
    flow: { flow_id, kind, id, by: 'schedule' },
  }
}

async function order(
  tx: Tx,
  dispatch_id: string,
  flow: Planned,
  wanted: Graph['wanted'],
  occurrence: Occurrence,
  workspaceZone: string,
  clock: Clock,
): Promise<void> {
  const { workspace_id, class: flowClass, planMs } = flow
  const schedule = scheduleOf(occurrence)
  const sending = sendingOf(flow, wanted)
  const placed = { dispatch_id, workspace_id, class: flowClass }
  // Lateness is counted from then on.
  const stampUs = clock.now() - planMs < minuteMs ? clock.stamp() : planMs * 1000
  await insertOrder(tx, { ...placed, schedule_id: null, sending, schedule }, stampUs)
  const zones = schedule.in_local_time ? await listZones(tx, workspace_id, zonesMax) : []
  const slots = planSlots(schedule, zones, { nowMs: planMs, workspaceZone })
  // Who comes later than that is there the next time; at the end of the day it is no time of the schedule.
  const kept = slots.filter(({ zone }) => zone !== leftoverZone)
  await insertSlots(tx, placed, 'waiting', kept)
}

function scheduleOf({ local, zone, firstMs }: Occurrence): Schedule {
  const isLocal = zone === 'local'
  return {
    time: isLocal ? local : new Date(firstMs).toISOString(),
    in_local_time: isLocal,
    at_optimal_time: false,
    local: `${local}:00.000`,
    at_ms: isLocal ? Date.parse(`${local}:00.000Z`) : firstMs,
  }
}
