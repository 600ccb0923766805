import { int4Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, onEveryShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { distinctLanes, type LaneShare, sharesLeft } from '../messages/fair-shares.ts'
import type { Lane } from '../messages/message.ts'
import type { Entry } from './entry.ts'
import { entryColumns, entryFromRow } from './entry-store.ts'

/** An entry under a lease for the call of its webhook. `attempts` includes this call. */
export type LeasedCall = { readonly entry: Entry; readonly lease: string; readonly attempts: number }

type CallingRow = Parameters<typeof entryFromRow>[0] & { attempts: number }

/** `nowMs` is business time. The lease ends at `untilMs`, machine time like `elapsedMs`. */
export type CallTimes = { readonly nowMs: number; readonly elapsedMs: number; readonly untilMs: number }

/** Entries `e` of a workspace `w` and a class whose webhook can be called. */
function callable(kind: Sql, { nowMs, elapsedMs }: CallTimes): Sql {
  return sql`e.workspace_id = w.workspace_id and e.class = ${kind} and e.state = 'calling' and e.due_at <= ${timestampFromMs(nowMs)}
        and (e.leased_until is null or e.leased_until <= ${timestampFromMs(elapsedMs)})`
}

/** Returns the lanes that have webhooks to call now, transactional ones first. */
export async function listCallLanes(tx: Tx, times: CallTimes): Promise<Lane[]> {
  const lanes = await onEveryShard<Lane>(tx, (part) =>
    prepared(sql`
    select w.workspace_id, c.class
    from workspace w cross join (values ('transactional', 1), ('marketing', 2)) c (class, rank)
    cross join lateral (
      select 1 from entry e join flow f on f.flow_id = e.flow_id and f.state <> 'paused'
      where ${callable(sql`c.class`, times)} ${withinPart(part, 'e')} order by e.due_at limit 1) o
    order by c.rank, w.workspace_id`),
  )
  return tx.placement === undefined ? lanes : distinctLanes(lanes)
}

/** Leases entries whose webhook is to be called now, in each lane those that were due first. */
export async function claimCalls(
  tx: Tx,
  lease: string,
  shares: readonly LaneShare[],
  times: CallTimes,
): Promise<LeasedCall[]> {
  const claim = (part: ShardPart, taken: readonly CallingRow[]) => {
    const left = sharesLeft(shares, taken)
    return prepared(sql`
    with o as materialized (
      select o.* from unnest(${int4Array(left.map(({ workspace_id }) => workspace_id))}::int4[],
        ${textArray(left.map((share) => share.class))}::text[], ${int4Array(left.map(({ count }) => count))}::int4[])
        w(workspace_id, class, count)
      cross join lateral (
        select e.bucket, e.entry_id from entry e join flow f on f.flow_id = e.flow_id and f.state <> 'paused'
        where ${callable(sql`w.class`, times)} ${withinPart(part, 'e')} order by e.due_at limit w.count for update of e skip locked) o)
    update entry e set lease = ${lease}::uuid, leased_until = ${timestampFromMs(times.untilMs)}, attempts = e.attempts + 1
    from o where e.bucket = o.bucket and e.entry_id = o.entry_id ${withinPart(part, 'e')}
    returning ${entryColumns}, e.attempts`)
  }
  const rows = await untilFull<CallingRow>(tx, claim, (taken) => sharesLeft(shares, taken).length === 0)
  return rows.map(({ attempts, ...row }) => ({ entry: entryFromRow(row), lease, attempts }))
}

/** Locks the entries that still have their lease, in the order of their keys. */
export async function lockLeasedCalls(tx: Tx, callings: readonly LeasedCall[]): Promise<Map<string, Entry>> {
  const rows = await byShard<Parameters<typeof entryFromRow>[0], LeasedCall>(
    tx,
    callings,
    (part) =>
      prepared(sql`
    select ${entryColumns} from unnest(${int4Array(part.items.map(({ entry }) => entry.bucket))}::int4[],
      ${textArray(part.items.map(({ entry }) => entry.entry_id))}::text[], ${textArray(part.items.map(({ lease }) => lease))}::text[])
      w(bucket, entry_id, lease)
    join entry e on e.bucket = w.bucket and e.entry_id = w.entry_id::uuid and e.lease = w.lease::uuid and e.state = 'calling'
    where true ${withinPart(part, 'e')} order by e.bucket, e.entry_id for update of e`),
    ({ entry }) => entry.bucket,
  )
  return new Map(rows.map((row) => [row.entry_id, entryFromRow(row)]))
}

/**
 * Ends leases, so that the webhook is called again at `dueMs`, business time. A call that was not made does not count. The rows are locked.
 */
export async function releaseCalls(
  tx: Tx,
  calls: readonly { readonly entry: Entry; readonly dueMs: number; readonly isUnmade: boolean }[],
): Promise<void> {
  if (calls.length === 0) return
  await byShard<unknown, (typeof calls)[number]>(
    tx,
    calls,
    (part) =>
      prepared(sql`
    update entry e set lease = null, leased_until = null, due_at = v.due_at, attempts = e.attempts - v.unmade
    from unnest(${int4Array(part.items.map(({ entry }) => entry.bucket))}::int4[],
      ${textArray(part.items.map(({ entry }) => entry.entry_id))}::text[],
      ${timestampArray(part.items.map(({ dueMs }) => Math.round(dueMs * 1000)))}::timestamptz[],
      ${int4Array(part.items.map(({ isUnmade }) => (isUnmade ? 1 : 0)))}::int4[]) v(bucket, entry_id, due_at, unmade)
    where e.bucket = v.bucket and e.entry_id = v.entry_id::uuid ${withinPart(part, 'e')}`),
    ({ entry }) => entry.bucket,
  )
}

/** Ends the leases of a process that is gone. */
export async function releaseAllCalls(tx: Tx): Promise<void> {
  await tx.query(sql`update entry set lease = null, leased_until = null where state = 'calling' and lease is not null`)
}
