import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { Channel } from '../channels/channel.ts'
import { isLeased, leaseRows, type MessageLease } from '../messages/claim-store.ts'
import type { OrderState } from '../orders/order-store.ts'
import type { Sending } from '../orders/sending.ts'

/** Everything that decides whether a leased message may be sent, as of now, with the columns of the consent of its channel. */
export type EligibilityRow = {
  readonly n: number
  readonly dispatch_state: OrderState | null
  /** Grows with every change of the dispatch. */
  readonly dispatch_version: string | null
  /** Null when the person is gone. */
  readonly random_bucket: number | null
  /** Whether the person has just been merged, and the message has not moved to the kept profile yet. */
  readonly was_merged: boolean | null
}

/**
 * Locks messages of a channel that this process still has leased, and reads their eligibility. `n` is the number of the given message,
 * from 1. Looks up each message by its key, in their order: the planner takes few messages for leased, and in a join it would read all.
 */
export async function lockEligibility(
  tx: Tx,
  { consent }: Pick<Channel, 'consent'>,
  messages: readonly MessageLease[],
): Promise<EligibilityRow[]> {
  if (messages.length === 0) return []
  return tx.query<EligibilityRow>(
    prepared(sql`
    select w.n::int as n, d.state as dispatch_state, (extract(epoch from d.updated_at) * 1000000)::int8 as dispatch_version,
      p.random_bucket, p.merged_into is not null as was_merged, ${consent.columns}
    from (
      select * from ${leaseRows(messages)} with ordinality w(bucket, message_id, lease, n) order by w.bucket, w.message_id) w
    cross join lateral (
      select m.profile_id, m.cause from message m where m.bucket = w.bucket and m.message_id = w.message_id
        and m.lease = w.lease::uuid and ${isLeased} for update of m) m
    left join profile p on p.bucket = w.bucket and p.profile_id = m.profile_id
    left join dispatch d on d.dispatch_id = m.cause ${consent.join}
    order by w.bucket, w.message_id`),
  )
}

/**
 * Returns the states of dispatches, and locks them until the transaction ends: a transaction that resumes a dispatch must see the messages
 * that were held because of it.
 */
export async function lockOrderStates(tx: Tx, dispatchIds: readonly string[]): Promise<Map<string, OrderState>> {
  const rows = await tx.query<{ dispatch_id: string; state: OrderState }>(sql`
    select d.dispatch_id, d.state from unnest(${textArray(dispatchIds)}::text[]) w(id)
    join dispatch d on d.dispatch_id = w.id::uuid order by d.dispatch_id for share of d`)
  return new Map(rows.map(({ dispatch_id, state }) => [dispatch_id, state]))
}

export async function listSendings(tx: Tx, dispatchIds: readonly string[]): Promise<Map<string, Sending>> {
  const rows = await tx.query<{ dispatch_id: string; sending: Sending }>(sql`
    select d.dispatch_id, d.sending from unnest(${textArray(dispatchIds)}::text[]) w(id)
    join dispatch d on d.dispatch_id = w.id::uuid`)
  return new Map(rows.map(({ dispatch_id, sending }) => [dispatch_id, sending]))
}
