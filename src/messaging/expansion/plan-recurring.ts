import type { Clock } from '../../base/clock.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { isUnavailable } from '../../base/errors.ts'
import { parseUuid, sha256 } from '../../base/ids.ts'
import type { Log } from '../../base/log.ts'
import type { Wakeups } from '../../base/work/wakeups.ts'
import { firstZone, lastZone } from '../../people/values/time-zones.ts'
import type { Graph, Recurrence } from '../flows/flow.ts'
import type { Graphs } from '../flows/graphs.ts'
import { type FlowToPlan, hasFlowToPlan, lockFlowToPlan, updateNextPlan } from '../flows/plan-store.ts'
import { type RecurrenceTime, recurrenceTimes } from '../flows/recurrence.ts'
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
/** How long before its first slot an order is made. */
const leadMs = 10 * minuteMs
/** The longest time between the first and the last time zone in which a local time comes. */
const behindMs = 26 * hourMs
/** Every recurrence that has not ended has an occurrence within this time: a week and a day. */
const aheadMs = 8 * dayMs

/**
 * Returns a turn that plans the schedule of one flow: it makes an order for each occurrence that will come soon, and cancels the orders of
 * occurrences that are no longer in the schedule. The id of an order is a function of its occurrence, so that planning again makes no
 * second one. A plan that is late, because the service was down or the flow was in `skipped`, is the same as on time. A turn returns
 * whether there may be more.
 */
export function openPlanning(
  { db, clock, graphs, log, wakeups }: PlanServices,
  skipped: SkippedFlows,
): () => Promise<boolean> {
  return async () => {
    const skippedIds = skipped.list()
    if (!(await hasFlowToPlan(db, clock.now(), skippedIds))) return false
    let flow: FlowToPlan | undefined
    try {
      await db.transaction(async (tx) => {
        flow = await lockFlowToPlan(tx, clock.now(), skippedIds)
        if (flow) await planFlow(tx, flow, await graphs.get(tx, flow.flow_id, flow.version), clock)
      })
    } catch (error) {
      // A schedule that cannot be planned must not stop the schedules of other flows.
      if (isUnavailable(error) || !flow) throw error
      const { flow_id, kind, id } = flow
      log.error(
        { err: error, flow_id, kind, name: id },
        'the schedule of a flow cannot be planned and is skipped for an hour',
      )
      skipped.add(flow_id)
      return true
    }
    if (flow) wakeups.wake('expansion')
    return flow !== undefined
  }
}

async function planFlow(tx: Tx, flow: FlowToPlan, { entry, wanted }: Graph, clock: Clock): Promise<void> {
  const { flow_id, workspace_id, state, planMs } = flow
  const recurrence = state === 'active' ? entry.schedule : undefined
  const workspaceZone = await findWorkspaceZone(tx, workspace_id)
  const untilMs = planMs + leadMs + 1
  const occurrences = recurrence ? recurrenceTimes(recurrence, workspaceZone, planMs - behindMs, untilMs) : []
  const known = await listPlannedOrders(tx, flow_id)
  const byId = new Map(known.map((order) => [order.dispatch_id, order]))
  for (const occurrence of occurrences) {
    const dispatch_id = orderId(flow, occurrence)
    if (!isStillToCome(occurrence, planMs)) continue
    const before = byId.get(dispatch_id)
    if (!before) await insertPlannedOrder(tx, dispatch_id, flow, wanted, occurrence, workspaceZone, clock)
    else if (before.isCancelled) await reviveOrder(tx, before, flow, wanted, clock.now())
  }
  for (const { dispatch_id, schedule, isCancelled, isOpen } of known) {
    if (isCancelled || !isOpen || isInSchedule(flow, dispatch_id, schedule, entry.schedule, workspaceZone)) continue
    await changeOrderState(tx, dispatch_id, 'cancelled', clock.now())
  }
  await updateNextPlan(tx, flow_id, recurrence && nextPlan(recurrence, workspaceZone, untilMs))
}

function orderId({ flow_id }: FlowToPlan, { local, zone }: RecurrenceTime): string {
  return parseUuid(sha256(`plan/${flow_id}/${zone}/${local}`).toString('hex').slice(0, 32))!
}

function isStillToCome({ local, zone, firstMs }: RecurrenceTime, fromMs: number): boolean {
  return zone === 'local' ? zonedInstant(lastZone, local) >= fromMs : firstMs >= fromMs
}

/** Whether the occurrence of an order is in the current schedule. */
function isInSchedule(
  flow: FlowToPlan,
  dispatch_id: string,
  { in_local_time, local, at_ms }: Schedule,
  recurrence: Recurrence | undefined,
  workspaceZone: string,
): boolean {
  if (!recurrence) return false
  const firstMs = in_local_time ? zonedInstant(firstZone, local) : at_ms
  return recurrenceTimes(recurrence, workspaceZone, firstMs, firstMs + 1).some(
    (occurrence) => orderId(flow, occurrence) === dispatch_id,
  )
}

/** Returns when a schedule is planned next: before its next occurrence, or when to look for one again. Pure. */
export function nextPlan(recurrence: Recurrence, workspaceZone: string, fromMs: number): number | undefined {
  const untilMs = fromMs + aheadMs
  const [next] = recurrenceTimes(recurrence, workspaceZone, fromMs, untilMs)
  if (next) return next.firstMs - leadMs
  const isOver = recurrence.until !== undefined && Date.parse(recurrence.until) + 2 * dayMs < untilMs
  return isOver ? undefined : untilMs - leadMs
}

/** Reactivates the cancelled order of an occurrence that is in the schedule again. */
async function reviveOrder(
  tx: Tx,
  { dispatch_id, schedule }: PlannedOrder,
  flow: FlowToPlan,
  wanted: Graph['wanted'],
  nowMs: number,
): Promise<void> {
  await updateOrderContent(tx, dispatch_id, { schedule, sending: sendingOf(flow, wanted) }, nowMs)
  await updateOrderState(tx, dispatch_id, 'active', nowMs)
  await reviveSlots(tx, dispatch_id, nowMs)
}

function sendingOf({ flow_id, kind, id }: FlowToPlan, wanted: Graph['wanted']): Sending {
  return {
    broadcast: true,
    recipient_subscription_state: wanted,
    override_frequency_capping: false,
    flow: { flow_id, kind, id, by: 'schedule' },
  }
}

async function insertPlannedOrder(
  tx: Tx,
  dispatch_id: string,
  flow: FlowToPlan,
  wanted: Graph['wanted'],
  occurrence: RecurrenceTime,
  workspaceZone: string,
  clock: Clock,
): Promise<void> {
  const { workspace_id, class: flowClass, planMs } = flow
  const schedule = scheduleOf(occurrence)
  const sending = sendingOf(flow, wanted)
  const order = { dispatch_id, workspace_id, class: flowClass }
  // `isLate` counts from the creation of the order.
  const stampUs = clock.now() - planMs < minuteMs ? clock.stamp() : planMs * 1000
  await insertOrder(tx, { ...order, schedule_id: null, sending, schedule }, stampUs)
  const zones = schedule.in_local_time ? await listZones(tx, workspace_id, zonesMax) : []
  // Without the last slot: it is due when the time has passed everywhere, and the next occurrence finds its people.
  const slots = planSlots(schedule, zones, { nowMs: planMs, workspaceZone }).filter(({ zone }) => zone !== leftoverZone)
  await insertSlots(tx, order, 'waiting', slots)
}

function scheduleOf({ local, zone, firstMs }: RecurrenceTime): Schedule {
  const isLocal = zone === 'local'
  return {
    time: isLocal ? local : new Date(firstMs).toISOString(),
    in_local_time: isLocal,
    at_optimal_time: false,
    local: `${local}:00.000`,
    at_ms: isLocal ? Date.parse(`${local}:00.000Z`) : firstMs,
  }
}
