import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { OrderState } from '../orders/order-store.ts'

/** What an entry that begins later than it was made must know of its order: the audience as it was given, null where there is none. */
export type PendingOrder = { readonly dispatch_id: string; readonly state: OrderState; readonly audience: unknown }

export function listPendingOrders(tx: Tx, dispatchIds: readonly string[]): Promise<PendingOrder[]> {
  return tx.query<PendingOrder>(
    prepared(sql`
    select d.dispatch_id, d.state, d.sending -> 'audience' as audience
    from unnest(${textArray(dispatchIds)}::text[]) w(dispatch_id) join dispatch d on d.dispatch_id = w.dispatch_id::uuid`),
  )
}
