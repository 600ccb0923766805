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

const open: readonly SlotState[] = ['waiting', 'held', 'running']

const verbs: Readonly<Record<OrderState, string>> = { active: 'resume', paused: 'pause', cancelled: 'cancel' }

const cancelledBefore = 'The dispatch was cancelled'

/**
 * Pauses, resumes or cancels a dispatch. From the answer on nobody begins to send to somebody else; its messages follow page by page.
 * What is so already stays so. 404 for an unknown one, 409 for one that was cancelled.
 */
export async function changeOrder(call: Call, workspace_id: number, shown: string, state: OrderState): Promise<string> {
  const { db, clock } = call
  const changed = await db.transaction(async (tx) => {
    const dispatch = orNotFound(await lockOrder(tx, workspace_id, parseOrderId(shown)), shown)
    if (dispatch.state === state) return dispatch.dispatch_id
    if (dispatch.state === 'cancelled') throw conflict(cancelledBefore)
    await changeOrderState(tx, dispatch.dispatch_id, state, clock.now())
    const states = { before: { state: dispatch.state }, after: { state } }
    await recordAudit(tx, call, {
      action: `dispatch.${verbs[state]}`,
      target: targetOf(dispatch),
      ...states,
      workspace_id,
    })
    return dispatch.dispatch_id
  })
  // Who hands over mail and has not seen this has a number.
  if (state !== 'active') await waitBrieflyForOlderTransactions(db)
  return changed
}

/** Sends to whom the dispatch has missed after all, now. 409 when it has missed nobody, or is at it. */
export function sendMissed(call: Call, workspace_id: number, shown: string): Promise<string> {
  const { db, clock } = call
  return db.transaction(async (tx) => {
    const dispatch = orNotFound(await lockOrder(tx, workspace_id, parseOrderId(shown)), shown)
    const { dispatch_id, state } = dispatch
    if (state === 'cancelled') throw conflict(cancelledBefore)
    const slots = await lockSlots(tx, dispatch_id)
    const before = slots.find(({ zone }) => zone === missedZone)
    if (before && open.includes(before.state)) throw conflict('It is being sent to whom it missed')
    // Whom an order of a canvas has missed has an entry that has ended; its messages are no order's.
    if (!(await hasMissed(tx, dispatch_id))) throw conflict('The dispatch has missed nobody')
    if (before) await deleteSlot(tx, dispatch_id, missedZone)
    const slot = { zone: missedZone, dueMs: clock.now() }
    await insertSlots(tx, dispatch, state === 'paused' ? 'held' : 'waiting', [slot])
    await recordAudit(tx, call, { action: 'dispatch.send_missed', target: targetOf(dispatch), workspace_id })
    return dispatch_id
  })
}

function targetOf({ dispatch_id }: LockedOrder) {
  return { kind: 'dispatch', id: uuidToHex(dispatch_id) }
}

/** The UUID of a dispatch that was named in a path. Throws 404. */
export function parseOrderId(shown: string): string {
  return orNotFound(parseUuid(shown), shown)
}

export function orNotFound<T extends string | LockedOrder | object>(value: T | undefined, shown: string): T {
  if (value === undefined) throw notFound(`There is no dispatch ${JSON.stringify(shown)}`)
  return value
}
