import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { Failure } from '../../base/errors.ts'
import { newUuid, uuidToHex } from '../../base/ids.ts'
import type { MessageClass } from '../messages/message.ts'
import { insertOrder } from './order-store.ts'
import { isLocal, planSlots, type Schedule } from './schedule.ts'
import { schedulesMax, tooManySchedules, zonesMax } from './schedule-schema.ts'
import { hasEffect, type Sending } from './sending.ts'
import { countWaitingSchedules, insertSlots } from './slot-store.ts'
import { findWorkspaceZone, listZones } from './zone-store.ts'

/** What is to be sent, or who is to enter. Without a schedule it is done at once. */
export type OrderToAccept = {
  readonly sending: Sending
  readonly class: MessageClass
  readonly schedule?: Schedule | undefined
  readonly send_id?: string | undefined
}

/** `dispatch_id`: 32 hexadecimal digits; `schedule_id`, a UUID, where there is a schedule. */
export type AcceptedOrder = { readonly dispatch_id: string; readonly schedule_id?: string }

/**
 * Accepts an order to send: once `tx` is committed it will be carried out, whatever happens. Who is meant is looked up when it is due.
 * Throws 400 when a local time has passed everywhere, 429 when too many schedules wait.
 */
export async function acceptOrder(
  tx: Tx,
  call: Pick<Call, 'workspace_id' | 'clock'>,
  accepting: OrderToAccept,
): Promise<AcceptedOrder> {
  const { sending, class: kind, schedule, send_id } = accepting
  const { workspace_id, clock } = call
  const nowMs = clock.now()
  const isPlanned = sending.flow?.by === 'schedule'
  if (schedule && !isPlanned && (await countWaitingSchedules(tx, workspace_id, schedulesMax)) >= schedulesMax) {
    throw new Failure('rateLimited', tooManySchedules)
  }
  const slots = await planOrderSlots(tx, workspace_id, schedule, nowMs)
  const dispatch_id = newUuid()
  const schedule_id = schedule ? newUuid() : null
  const order = { dispatch_id, schedule_id, workspace_id, class: kind, sending, schedule, send_id }
  await insertOrder(tx, order, clock.stamp())
  if (hasEffect(sending)) await insertSlots(tx, { dispatch_id, workspace_id, class: kind }, 'waiting', slots)
  return { dispatch_id: uuidToHex(dispatch_id), ...(schedule_id && { schedule_id }) }
}

/** The slots of a schedule as the zones of people are now. */
export async function planOrderSlots(tx: Tx, workspace_id: number, schedule: Schedule | undefined, nowMs: number) {
  if (!schedule || !isLocal(schedule)) return planSlots(schedule, [], { nowMs, workspaceZone: 'UTC' })
  const zones = await listZones(tx, workspace_id, zonesMax)
  return planSlots(schedule, zones, { nowMs, workspaceZone: await findWorkspaceZone(tx, workspace_id) })
}
