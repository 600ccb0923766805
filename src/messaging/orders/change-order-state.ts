import type { Tx } from '../../base/db/db.ts'
import { type OrderState, updateOrderState } from './order-store.ts'
import { moveSlots } from './slot-store.ts'

const slotStates = { active: 'waiting', paused: 'held', cancelled: 'cancelled' } as const

/** Pauses, resumes or cancels an order and its open slots. Its messages follow page by page (`expansion/follow-order-state.ts`). */
export async function changeOrderState(tx: Tx, dispatch_id: string, state: OrderState, nowMs: number): Promise<void> {
  await updateOrderState(tx, dispatch_id, state, nowMs)
  await moveSlots(tx, dispatch_id, slotStates[state])
}
