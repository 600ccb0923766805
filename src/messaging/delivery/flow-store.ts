import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { FlowKind, FlowState } from '../flows/flow.ts'
import type { OfEntry } from '../messages/message.ts'
import type { Properties } from '../orders/sending.ts'

/** How the entry and the flow of a message stand; `n` counts the given messages from 1. */
export type FlowRow = {
  readonly n: number
  readonly entry_state: string | null
  readonly ended: string | null
  readonly dispatch_id: string | null
  readonly variant: string | null
  readonly properties: Properties | null
  readonly event: Properties | null
  readonly kind: FlowKind
  readonly id: string
  readonly name: string
  readonly flow_state: FlowState | null
  readonly time_zone: string | null
}

/** As of now, without locks; properties only where they are asked for. */
export function listFlowRows(tx: Tx, messages: readonly OfEntry[], withProperties: boolean): Promise<FlowRow[]> {
  const content = withProperties ? sql`e.properties, e.event` : sql`null as properties, null as event`
  return tx.query<FlowRow>(
    prepared(sql`
    select w.n::int as n, e.state as entry_state, e.ended, e.dispatch_id, e.variant, ${content}, f.kind, f.id, f.name,
      case when f.deleted_at is null then f.state end as flow_state, p.time_zone
    from unnest(
      ${int4Array(messages.map(({ bucket }) => bucket))}::int4[], ${int8Array(messages.map(({ profile_id }) => profile_id))}::int8[],
      ${textArray(messages.map(({ cause }) => cause))}::text[], ${int4Array(messages.map(({ flow_id }) => flow_id))}::int4[])
      with ordinality w(bucket, profile_id, cause, flow_id, n)
    join flow f on f.flow_id = w.flow_id
    left join entry e on e.bucket = w.bucket and e.entry_id = w.cause::uuid
    left join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id`),
  )
}

/** Entries that moved on because the message of their step has ended. */
export type Woken = { bucket: number; profile_id: string; workspace_id: number; flow_id: number; state: string }

/**
 * Lets entries leave the step whose message has ended: they fall due now, or have come to their end where there is no next step. An entry
 * that is elsewhere by now stays as it is. Locks them in their order.
 */
export function wakeEntries(tx: Tx, messages: readonly OfEntry[], nowMs: number): Promise<Woken[]> {
  return tx.query<Woken>(
    prepared(sql`
    update entry e set state = case when e.is_last then 'ended' else 'waiting' end, ended = case when e.is_last then 'completed' end,
      due_at = case when not e.is_last then ${timestampFromMs(nowMs)} end, ended_at = case when e.is_last then ${timestampFromMs(nowMs)} end
    from (
      select o.bucket, o.entry_id
      from unnest(
        ${int4Array(messages.map(({ bucket }) => bucket))}::int4[], ${textArray(messages.map(({ cause }) => cause))}::text[],
        ${textArray(messages.map(({ step }) => step))}::text[], ${int4Array(messages.map(({ visit }) => visit))}::int4[])
        w(bucket, cause, step, visit)
      join entry o on o.bucket = w.bucket and o.entry_id = w.cause::uuid and o.state = 'sending' and o.step = w.step
        and o.visit = w.visit
      order by o.bucket, o.entry_id for update of o) v
    where e.bucket = v.bucket and e.entry_id = v.entry_id
    returning e.bucket, e.profile_id, e.workspace_id, e.flow_id, e.state`),
  )
}

/** Notes that something of these flows was sent, but for those that somebody holds: nobody waits for that, and the next mail tells it. */
export async function noteSent(tx: Tx, flowIds: readonly number[], nowMs: number): Promise<void> {
  await tx.query(
    prepared(sql`
    update flow f set first_sent_at = coalesce(f.first_sent_at, ${timestampFromMs(nowMs)}), last_sent_at = greatest(f.last_sent_at,
      ${timestampFromMs(nowMs)})
    from (select o.flow_id from flow o where o.flow_id = any(${int4Array(flowIds)}::int4[]) for update of o skip locked) v
    where f.flow_id = v.flow_id`),
  )
}
