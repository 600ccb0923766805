import type { Call } from '../../base/call.ts'
import { waitBrieflyForOlderTransactions } from '../../base/db/wait-for-older-transactions.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { parseUuid, uuidToHex } from '../../base/ids.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { changeOrderState } from '../orders/change-order-state.ts'
import { type LockedOrder, lockOrder, type OrderState } from '../orders/order-store.ts'
import { missedZone } from '../orders/schedule.ts'
import { deleteSlot, insertSlots, lockSlots, type SlotState } from '../orders/slot-store.ts'
import { hasMissed } from './order-list-store.ts'

const openStates: readonly SlotState[] = ['waiting', 'held', 'running']

const verbs: Readonly<Record<OrderState, string>> = { active: 'resume', paused: 'pause', cancelled: 'cancel' }

const cancelledBefore = 'The order was cancelled'

/**
 * Pauses, resumes or cancels an order, and returns its UUID. After the answer no message of a paused or cancelled order is handed over; its
 * messages change their state page by page. Throws 404 for an unknown order, 409 for one that was cancelled.
 */
export async function changeOrder(
  call: Call,
  workspace_id: number,
  givenId: string,
  state: OrderState,
): Promise<string> {
  const { db, clock } = call
  const changed = await db.transaction(async (tx) => {
    const order = orNotFound(await lockOrder(tx, workspace_id, parseOrderId(givenId)), givenId)
    if (order.state === state) return order.dispatch_id
    if (order.state === 'cancelled') throw conflict(cancelledBefore)
    await changeOrderState(tx, order.dispatch_id, state, clock.now())
    const states = { before: { state: order.state }, after: { state } }
    await recordAudit(tx, call, {
      action: `dispatch.${verbs[state]}`,
      target: auditTarget(order),
      ...states,
      workspace_id,
    })
    return order.dispatch_id
  })
  // A hand-over that has not seen the new state has registered before.
  if (state !== 'active') await waitBrieflyForOlderTransactions(db, ['hand_over'])
  return changed
}

/** Sends an order to its missed recipients now, and returns its UUID. Throws 404, and 409 when there are none or they are being sent to. */
export function sendMissed(call: Call, workspace_id: number, givenId: string): Promise<string> {
  const { db, clock } = call
  return db.transaction(async (tx) => {
    const order = orNotFound(await lockOrder(tx, workspace_id, parseOrderId(givenId)), givenId)
    const { dispatch_id, state } = order
    if (state === 'cancelled') throw conflict(cancelledBefore)
    const slots = await lockSlots(tx, dispatch_id)
    const earlier = slots.find(({ zone }) => zone === missedZone)
    if (earlier && openStates.includes(earlier.state))
      throw conflict('The missed recipients of this order are being sent to')
    // An order of a flow has none: the entries of its missed recipients have ended.
    if (!(await hasMissed(tx, dispatch_id))) throw conflict('This order has no missed recipients')
    if (earlier) await deleteSlot(tx, dispatch_id, missedZone)
    const slot = { zone: missedZone, dueMs: clock.now() }
    await insertSlots(tx, order, state === 'paused' ? 'held' : 'waiting', [slot])
    await recordAudit(tx, call, { action: 'dispatch.send_missed', target: auditTarget(order), workspace_id })
    return dispatch_id
  })
}

function auditTarget({ dispatch_id }: LockedOrder) {
  return { kind: 'dispatch', id: uuidToHex(dispatch_id) }
}

/** Reads the `dispatch_id` of a path, and returns the UUID. Throws 404. */
export function parseOrderId(givenId: string): string {
  return orNotFound(parseUuid(givenId), givenId)
}

export function orNotFound<T extends string | LockedOrder | object>(value: T | undefined, givenId: string): T {
  if (value === undefined) throw notFound(`There is no order ${JSON.stringify(givenId)}`)
  return value
}
