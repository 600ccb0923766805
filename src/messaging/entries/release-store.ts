import { int4Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { EntryMessage } from '../messages/message.ts'

/** An entry that has left the step of its message. */
export type ReleasedEntry = {
  bucket: number
  profile_id: string
  workspace_id: number
  flow_id: number
  version: number
  step: string
  state: string
}

/**
 * Lets entries leave the step whose message has ended: they fall due now, or end where there is no next step. An entry that is elsewhere
 * stays as it is. Locks the entries in the order of their keys.
 */
export function releaseEntries(tx: Tx, messages: readonly EntryMessage[], nowMs: number): Promise<ReleasedEntry[]> {
  return byShard<ReleasedEntry, EntryMessage>(tx, messages, (part) =>
    prepared(sql`
    update entry e set state = case when e.is_last then 'ended' else 'waiting' end, ended = case when e.is_last then 'completed' end,
      due_at = case when not e.is_last then ${timestampFromMs(nowMs)} end, ended_at = case when e.is_last then ${timestampFromMs(nowMs)} end
    from (
      select o.bucket, o.entry_id
      from unnest(
        ${int4Array(part.items.map(({ bucket }) => bucket))}::int4[], ${textArray(part.items.map(({ cause }) => cause))}::text[],
        ${textArray(part.items.map(({ step }) => step))}::text[], ${int4Array(part.items.map(({ visit }) => visit))}::int4[])
        w(bucket, cause, step, visit)
      join entry o on o.bucket = w.bucket and o.entry_id = w.cause::uuid and o.state = 'sending' and o.step = w.step
        and o.visit = w.visit
      where true ${withinPart(part, 'o')} order by o.bucket, o.entry_id for update of o) v
    where e.bucket = v.bucket and e.entry_id = v.entry_id ${withinPart(part, 'e')}
    returning e.bucket, e.profile_id, e.workspace_id, e.flow_id, e.version, e.step, e.state`),
  )
}
