import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import type { NoticeMembers } from '../../base/http/notices.ts'
import { newUuid, uuidToHex } from '../../base/ids.ts'
import type { MessageClass } from '../messages/message.ts'
import { insertOrder } from './order-store.ts'
import { isLocal, type PlannedSlot, planSlots, type Schedule } from './schedule.ts'
import { schedulesMax, tooManySchedules, zonesMax } from './schedule-schema.ts'
import { hasEffect, type Sending } from './sending.ts'
import { countWaitingSchedules, insertSlots } from './slot-store.ts'
import { findWorkspaceZone, listZones } from './zone-store.ts'

/** An order to accept. Without a schedule it is due at once. */
export type OrderToAccept = {
  readonly sending: Sending
  readonly class: MessageClass
  readonly schedule?: Schedule | undefined
  readonly send_id?: string | undefined
  /** A UUID; a new one when absent. */
  readonly dispatch_id?: string | undefined
}

/** `dispatch_id`: 32 hexadecimal digits. `schedule_id`: a UUID, where there is a schedule. */
export type AcceptedOrder = { readonly dispatch_id: string; readonly schedule_id?: string }

/** The answer to a request that places an order. */
export type OrderReply = AcceptedOrder & { readonly send_id?: string; readonly notice?: string } & NoticeMembers

/**
 * Accepts an order: once `tx` is committed, the order survives any crash. Its recipients are looked up when it is due. Throws
 * 400 when a local time has passed everywhere, 429 when too many schedules wait.
 */
export async function acceptOrder(
  tx: Tx,
  { workspace_id, clock }: Pick<Call, 'workspace_id' | 'clock'>,
  { sending, class: kind, schedule, send_id, dispatch_id = newUuid() }: OrderToAccept,
): Promise<AcceptedOrder> {
  const nowMs = clock.now()
  const isPlanned = sending.flow?.by === 'schedule'
  if (schedule && !isPlanned && (await countWaitingSchedules(tx, workspace_id, schedulesMax)) >= schedulesMax) {
    throw new Failure('rateLimited', tooManySchedules)
  }
  const slots = await planOrderSlots(tx, workspace_id, schedule, nowMs)
  const schedule_id = schedule ? newUuid() : null
  const order = { dispatch_id, schedule_id, workspace_id, class: kind, sending, schedule, send_id }
  await insertOrder(tx, order, clock.stamp())
  if (hasEffect(sending)) await insertSlots(tx, { dispatch_id, workspace_id, class: kind }, 'waiting', slots)
  return { dispatch_id: uuidToHex(dispatch_id), ...(schedule_id && { schedule_id }) }
}

/** Adds to the answer what only some orders have. */
export function toOrderReply(
  accepted: AcceptedOrder,
  send_id: string | undefined,
  notice: string | undefined,
): OrderReply {
  return { ...accepted, ...(send_id !== undefined && { send_id }), ...(notice !== undefined && { notice }) }
}

/** Plans the slots of a schedule for the time zones that people have now. Throws 400 when a local time has passed everywhere. */
export async function planOrderSlots(
  tx: Tx,
  workspace_id: number,
  schedule: Schedule | undefined,
  nowMs: number,
): Promise<PlannedSlot[]> {
  if (!schedule || !isLocal(schedule)) return planSlots(schedule, [], { nowMs, workspaceZone: 'UTC' })
  const zones = await listZones(tx, workspace_id, zonesMax)
  return planSlots(schedule, zones, { nowMs, workspaceZone: await findWorkspaceZone(tx, workspace_id) })
}
