import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import type { Flow } from '../flows/flow.ts'
import { planOrderSlots } from './accept-order.ts'
import { changeOrderState } from './change-order-state.ts'
import { lockScheduledOrder, type ScheduledOrder, updateOrderContent } from './order-store.ts'
import type { Schedule } from './schedule.ts'
import { alreadySent, unknownSchedule } from './schedule-schema.ts'
import type { Sending } from './sending.ts'
import { deleteSlots, insertSlots, lockSlots } from './slot-store.ts'

type ScheduleUpdate = {
  readonly schedule: Schedule
  /** The schedule does not change, so existing slots are kept. */
  readonly isSameTime: boolean
  readonly sending?: Sending | undefined
  /** Whether the order has an effect now. Without one it has no slots. */
  readonly isDelivered: boolean
}

/** Locks the scheduled order of messages. Throws 400 for an unknown schedule and for one of a flow. */
export async function lockMessageOrder(tx: Tx, workspace_id: number, schedule_id: string): Promise<ScheduledOrder> {
  const order = await lockScheduledOrder(tx, workspace_id, schedule_id)
  if (!order || order.sending.flow) throw invalid(unknownSchedule)
  return order
}

/** Locks a scheduled order of a flow. Throws 400 for an unknown schedule and for one of messages or of another flow. */
export async function lockFlowOrder(
  tx: Tx,
  { workspace_id, flow_id }: Flow,
  schedule_id: string,
): Promise<ScheduledOrder> {
  const order = await lockScheduledOrder(tx, workspace_id, schedule_id)
  if (order?.sending.flow?.flow_id !== flow_id) throw invalid(unknownSchedule)
  return order
}

/** Replaces the whole schedule, and `sending` if it is given. Throws 400 for an order that is cancelled or was sent. */
export async function updateSchedule(
  tx: Tx,
  { workspace_id, clock }: Call,
  order: ScheduledOrder,
  { schedule, isSameTime, sending, isDelivered }: ScheduleUpdate,
): Promise<void> {
  const { dispatch_id, state } = order
  const hasSlots = await lockWaitingSlots(tx, order)
  const nowMs = clock.now()
  await updateOrderContent(tx, dispatch_id, { schedule, sending }, nowMs)
  const keepsSlots = isSameTime && hasSlots
  if (keepsSlots && isDelivered) return
  const slots = keepsSlots ? [] : await planOrderSlots(tx, workspace_id, schedule, nowMs)
  await deleteSlots(tx, dispatch_id)
  if (isDelivered) await insertSlots(tx, order, state === 'paused' ? 'held' : 'waiting', slots)
}

/** Cancels an order that waits for its time. Throws 400 for one that is cancelled or was sent. */
export async function cancelSchedule(tx: Tx, { clock }: Call, order: ScheduledOrder): Promise<void> {
  await lockWaitingSlots(tx, order)
  await changeOrderState(tx, order.dispatch_id, 'cancelled', clock.now())
}

/** Locks the slots of an order, so that none begins before `tx` ends. Returns whether there are any. */
async function lockWaitingSlots(tx: Tx, { dispatch_id, state }: ScheduledOrder): Promise<boolean> {
  if (state === 'cancelled') throw invalid(unknownSchedule)
  const slots = await lockSlots(tx, dispatch_id)
  const isWaiting = slots.every((slot) => !slot.began && (slot.state === 'waiting' || slot.state === 'held'))
  if (!isWaiting) throw invalid(alreadySent)
  return slots.length > 0
}
