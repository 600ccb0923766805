import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { OrderState } from '../orders/order-store.ts'

/** What a pending entry reads of its order. `audience` is the tree of the request, or null. */
export type PendingOrder = { readonly dispatch_id: string; readonly state: OrderState; readonly audience: unknown }

export function listPendingOrders(tx: Tx, dispatchIds: readonly string[]): Promise<PendingOrder[]> {
  return tx.query<PendingOrder>(
    prepared(sql`
    select d.dispatch_id, d.state, d.sending -> 'audience' as audience
    from unnest(${textArray(dispatchIds)}::text[]) w(dispatch_id) join dispatch d on d.dispatch_id = w.dispatch_id::uuid`),
  )
}
