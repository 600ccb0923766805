import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { slotsOf } from './accept-order.ts'
import { type Locked, lockSchedule, updateOrder } from './dispatch-store.ts'
import type { Schedule } from './schedule.ts'
import { alreadySent, unknownSchedule } from './schedule-schema.ts'
import type { Sending } from './sending.ts'
import { deleteSlots, insertSlots, lockSlots, moveSlots } from './slot-store.ts'
import { updateState } from './state-store.ts'

type ScheduleChange = {
  readonly schedule: Schedule
  /** The time stays what it was: so do slots, where there are some. */
  readonly isSameTime: boolean
  readonly sending?: Sending | undefined
  /** Whether there is an e-mail in it by now: without one nothing ever falls due. */
  readonly isDelivered: boolean
}

/** Replaces the schedule as a whole, and what is sent where it is given. Throws 400 for one that is unknown or has been sent. */
export async function updateSchedule(
  tx: Tx,
  call: Call,
  schedule_id: string,
  { schedule, isSameTime, sending, isDelivered }: ScheduleChange,
): Promise<void> {
  const { workspace_id, clock } = call
  const { dispatch, hasSlots } = await lockWaiting(tx, workspace_id, schedule_id)
  const { dispatch_id, state } = dispatch
  const nowMs = clock.now()
  await updateOrder(tx, dispatch_id, { schedule, sending }, nowMs)
  const areKept = isSameTime && hasSlots
  if (areKept && isDelivered) return
  const slots = areKept ? [] : await slotsOf(tx, workspace_id, schedule, nowMs)
  await deleteSlots(tx, dispatch_id)
  if (isDelivered) await insertSlots(tx, dispatch, state === 'paused' ? 'held' : 'waiting', slots)
}

/** Takes a schedule back. Throws 400 for one that is unknown or has been sent. */
export async function cancelSchedule(tx: Tx, call: Call, schedule_id: string): Promise<void> {
  const { dispatch_id } = (await lockWaiting(tx, call.workspace_id, schedule_id)).dispatch
  await updateState(tx, dispatch_id, 'cancelled', call.clock.now())
  await moveSlots(tx, dispatch_id, 'cancelled')
}

/** A schedule of which nothing was sent yet; nobody begins before `tx` ends. */
async function lockWaiting(
  tx: Tx,
  workspace_id: number,
  schedule_id: string,
): Promise<{ dispatch: Locked; hasSlots: boolean }> {
  const dispatch = await lockSchedule(tx, workspace_id, schedule_id)
  if (!dispatch || dispatch.state === 'cancelled') throw invalid(unknownSchedule)
  const slots = await lockSlots(tx, dispatch.dispatch_id)
  if (slots.some(({ state, began }) => began || (state !== 'waiting' && state !== 'held'))) throw invalid(alreadySent)
  return { dispatch, hasSlots: slots.length > 0 }
}
