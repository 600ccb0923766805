import { int4Array, textArray } from '../base/db/arrays.ts'
import type { Tx } from '../base/db/db.ts'
import { at } from '../base/db/moment.ts'
import { prepared, sql } from '../base/db/sql.ts'
import type { Entry } from './entry.ts'
import { entryColumns, entryOf } from './store.ts'

/** An entry whose webhook somebody calls: who has to say the lease. `attempts`: this call included. */
export type Calling = { readonly entry: Entry; readonly lease: string; readonly attempts: number }

type CallingRow = Parameters<typeof entryOf>[0] & { attempts: number }

/** Leases entries whose webhook is to be called now; nobody else calls it before `untilMs` (machine time). */
export async function claimCalls(
  tx: Tx,
  lease: string,
  limit: number,
  { nowMs, elapsedMs, untilMs }: { readonly nowMs: number; readonly elapsedMs: number; readonly untilMs: number },
): Promise<Calling[]> {
  const rows = await tx.query<CallingRow>(
    prepared(sql`
    update entry e set lease = ${lease}::uuid, leased_until = ${at(untilMs)}, attempts = e.attempts + 1
    from (
      select e.bucket, e.entry_id from entry e join flow f on f.flow_id = e.flow_id and f.state <> 'paused'
      where e.state = 'calling' and e.due_at <= ${at(nowMs)} and (e.leased_until is null or e.leased_until <= ${at(elapsedMs)})
      order by e.due_at limit ${limit} for update of e skip locked) o
    where e.bucket = o.bucket and e.entry_id = o.entry_id
    returning ${entryColumns}, e.attempts`),
  )
  return rows.map(({ attempts, ...row }) => ({ entry: entryOf(row), lease, attempts }))
}

/** Locks those of these entries that are still ours, in order. */
export async function lockCalling(tx: Tx, callings: readonly Calling[]): Promise<Map<string, Entry>> {
  const rows = await tx.query<Parameters<typeof entryOf>[0]>(
    prepared(sql`
    select ${entryColumns} from unnest(${int4Array(callings.map(({ entry }) => entry.bucket))}::int4[],
      ${textArray(callings.map(({ entry }) => entry.entry_id))}::text[], ${textArray(callings.map(({ lease }) => lease))}::text[])
      w(bucket, entry_id, lease)
    join entry e on e.bucket = w.bucket and e.entry_id = w.entry_id::uuid and e.lease = w.lease::uuid and e.state = 'calling'
    order by e.bucket, e.entry_id for update of e`),
  )
  return new Map(rows.map((row) => [row.entry_id, entryOf(row)]))
}

/** Gives calls back, to be made again at an instant of business time. The rows are locked. */
export async function releaseCalls(
  tx: Tx,
  calls: readonly { readonly entry: Entry; readonly dueMs: number }[],
): Promise<void> {
  for (const [dueMs, own] of Map.groupBy(calls, (call) => call.dueMs)) {
    await tx.query(
      prepared(sql`
      update entry e set lease = null, leased_until = null, due_at = ${at(dueMs)}
      from unnest(${int4Array(own.map(({ entry }) => entry.bucket))}::int4[],
        ${textArray(own.map(({ entry }) => entry.entry_id))}::text[]) v(bucket, entry_id)
      where e.bucket = v.bucket and e.entry_id = v.entry_id::uuid`),
    )
  }
}

/** Leases that a process has left behind that is gone. */
export async function releaseAllCalls(tx: Tx): Promise<void> {
  await tx.query(sql`update entry set lease = null, leased_until = null where state = 'calling' and lease is not null`)
}
