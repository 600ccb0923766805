import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { insertSelectedEvents } from '../../people/feed/write-store.ts'
import { eventTypeOf } from './end-states.ts'
import type { Reason } from './reasons.ts'

/** The row of a decision. `message_id` is '0' where there is none; `asked` and `inputs` are JSON texts. */
export type DecisionRow = {
  readonly bucket: number
  readonly profile_id: string
  readonly workspace_id: number
  readonly cause: string
  readonly step: string
  readonly visit: number
  readonly channel: string
  readonly message_id: string
  readonly flow_id: number | null
  readonly reason: Reason
  readonly asked: string | null
  readonly rule: string | null
  readonly inputs: string | null
  readonly stampUs: number
}

/** Inserts decisions, and an event for each message that ended with one. */
export async function insertDecisions(tx: Tx, rows: readonly DecisionRow[]): Promise<void> {
  await tx.query(
    prepared(sql`
    with v as materialized (select * from unnest(
      ${int8Array(rows.map((row) => row.profile_id))}::int8[], ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[],
      ${int4Array(rows.map((row) => row.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.cause))}::text[], ${textArray(rows.map((row) => row.step))}::text[],
      ${int4Array(rows.map((row) => row.visit))}::int4[], ${textArray(rows.map((row) => row.channel))}::text[],
      ${int8Array(rows.map((row) => row.message_id))}::int8[], ${int4Array(rows.map((row) => row.flow_id))}::int4[],
      ${textArray(rows.map((row) => row.reason))}::text[], ${jsonbArray(rows.map((row) => row.asked))}::jsonb[],
      ${textArray(rows.map((row) => row.rule))}::text[], ${jsonbArray(rows.map((row) => row.inputs))}::jsonb[],
      ${textArray(rows.map((row) => eventTypeOf(row.reason)))}::text[])
      with ordinality v(profile_id, time, bucket, workspace_id, cause, step, visit, channel, message_id, flow_id, reason, asked, rule,
        inputs, event_type, n)),
    fed as (${decisionEvents})
    insert into decision (profile_id, time, bucket, workspace_id, cause, step, visit, channel, message_id, flow_id,
      reason, asked, rule, inputs)
    select v.profile_id, v.time, v.bucket, v.workspace_id, v.cause::uuid, v.step, v.visit, v.channel, nullif(v.message_id, 0), v.flow_id,
      v.reason, v.asked, v.rule, v.inputs
    from v order by v.bucket, v.profile_id`),
  )
}

/** The events of decisions about messages. `v` has the decisions. */
const decisionEvents = insertSelectedEvents(sql`
      select v.bucket, v.profile_id, v.workspace_id, v.profile_id, v.event_type, v.message_id::text, v.time, v.n::int4, null::int8,
        null::text, v.message_id, v.flow_id, null::text,
        json_strip_nulls(json_build_object('channel', v.channel, 'dispatch_id', case when v.step = '' then replace(v.cause, '-', '') end,
          'entry_id', case when v.step <> '' then v.cause end, 'step', nullif(v.step, ''), 'reason', v.reason, 'rule', v.rule))::text
      from v where v.message_id <> 0`)

/** Decisions about an identifier that nobody had: the bucket of the identifier, and how the request named it. */
export type UnknownIdentifier = { readonly bucket: number; readonly workspace_id: number; readonly asked: object }

/** Deleted decisions of one order that ended alike. */
export type DeletedDecisions = { cause: string; channel: string; reason: string; count: number }

/** Deletes the decisions that nobody has these identifiers. Returns how many there were; there may be several counts of one kind. */
export function deleteUnknownDecisions(tx: Tx, unknown: readonly UnknownIdentifier[]): Promise<DeletedDecisions[]> {
  return byShard<DeletedDecisions, UnknownIdentifier>(tx, unknown, (part) =>
    prepared(sql`
    with deleted as (
      delete from decision d using unnest(
        ${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
        ${int4Array(part.items.map(({ workspace_id }) => workspace_id))}::int4[],
        ${jsonbArray(part.items.map(({ asked }) => JSON.stringify(asked)))}::jsonb[]) w(bucket, workspace_id, asked)
      where d.bucket = w.bucket and d.profile_id = 0 and d.workspace_id = w.workspace_id and d.asked @> w.asked ${withinPart(part, 'd')}
      returning d.cause, d.channel, d.reason)
    select cause, channel, reason, count(*)::int4 as count from deleted group by cause, channel, reason`),
  )
}
