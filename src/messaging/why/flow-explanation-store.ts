import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import type { EntryEnd, EntryState } from '../entries/entry.ts'
import type { Timing } from '../expansion/optimal-time.ts'

export type ExplainedEntryRow = {
  bucket: number
  profile_id: string
  entry_id: string
  version: number
  dispatch_id: string | null
  state: EntryState
  held: boolean
  ended: EntryEnd | null
  variant: string | null
  in_control: boolean
  step: string
  visit: number
  due_at: Date | null
  timing: Timing | null
  entered_at: Date
  ended_at: Date | null
}

/** Lists the entries of people in a flow, newest first; those of one order where it is given. */
export function listExplainedEntries(
  tx: Tx,
  people: readonly Person[],
  flow_id: number,
  dispatch_id: string | undefined,
  limit: number,
): Promise<ExplainedEntryRow[]> {
  return tx.query<ExplainedEntryRow>(sql`
    select e.bucket, e.profile_id, e.entry_id, e.version, e.dispatch_id, e.state, e.held, e.ended, e.variant, e.in_control, e.step,
      e.visit, e.due_at, e.timing, e.entered_at, e.ended_at
    from unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ key }) => key))}::int8[])
      w(bucket, profile_id)
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.flow_id = ${flow_id}
      ${dispatch_id ? sql`and e.dispatch_id = ${dispatch_id}::uuid` : raw('')}
    order by e.entered_at desc, e.entry_id limit ${limit}`)
}

/** Lists the entries that an order made for people. Decisions about them have the entry for a cause. */
export async function listEntryIds(tx: Tx, people: readonly Person[], dispatch_id: string): Promise<string[]> {
  const rows = await tx.query<{ entry_id: string }>(sql`
    select e.entry_id
    from unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ key }) => key))}::int8[])
      w(bucket, profile_id)
    join entry e on e.bucket = w.bucket and e.dispatch_id = ${dispatch_id}::uuid and e.profile_id = w.profile_id`)
  return rows.map(({ entry_id }) => entry_id)
}

/** Finds the orders that made entries, by `entry_id`. */
export async function findEntryOrders(
  tx: Tx,
  entries: readonly { bucket: number; cause: string }[],
): Promise<Map<string, string>> {
  if (entries.length === 0) return new Map()
  const rows = await tx.query<{ entry_id: string; dispatch_id: string }>(sql`
    select e.entry_id, e.dispatch_id
    from unnest(${int4Array(entries.map(({ bucket }) => bucket))}::int4[], ${textArray(entries.map(({ cause }) => cause))}::text[])
      w(bucket, entry_id)
    join entry e on e.bucket = w.bucket and e.entry_id = w.entry_id::uuid
    where e.dispatch_id is not null`)
  return new Map(rows.map(({ entry_id, dispatch_id }) => [entry_id, dispatch_id]))
}

/** Lists some of the entries that an order made. */
export async function listOrderEntries(tx: Tx, dispatch_id: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ entry_id: string }>(
    sql`select e.entry_id from entry e where e.dispatch_id = ${dispatch_id}::uuid limit ${limit}`,
  )
  return rows.map(({ entry_id }) => entry_id)
}

/** An order without named recipients, and when its slot was due. `by`: the interface or the schedule of the flow. */
export type BroadcastRow = { dispatch_id: string; by: string; audience: unknown; at: Date }

/** Lists the latest broadcasts of a flow, as far as they had a slot of one of these zones. */
export function listFlowBroadcasts(
  tx: Tx,
  flow_id: number,
  zones: readonly string[],
  nowMs: number,
  limit: number,
): Promise<BroadcastRow[]> {
  return tx.query<BroadcastRow>(sql`
    select d.dispatch_id, d.by, d.audience, greatest(s.due_at, d.created_at) as at
    from (
      select dispatch_id, created_at, sending -> 'audience' as audience, sending -> 'flow' ->> 'by' as by
      from dispatch where flow_id = ${flow_id} and sending -> 'recipients' is null
      order by created_at desc limit ${limit}) d
    join dispatch_slot s on s.dispatch_id = d.dispatch_id and s.zone = any(${textArray(zones)}::text[])
      and s.state in ('running', 'done') and s.due_at <= ${timestampFromMs(nowMs)}
    order by 4 desc limit ${limit}`)
}

/** Finds the audiences of orders, as trees, by `dispatch_id`. */
export async function findAudiences(tx: Tx, dispatch_ids: readonly string[]): Promise<Map<string, unknown>> {
  if (dispatch_ids.length === 0) return new Map()
  const rows = await tx.query<{ dispatch_id: string; audience: unknown }>(sql`
    select dispatch_id, sending -> 'audience' as audience from dispatch
    where dispatch_id = any(${textArray(dispatch_ids)}::text[]::uuid[]) and sending -> 'audience' is not null`)
  return new Map(rows.map(({ dispatch_id, audience }) => [dispatch_id, audience]))
}

/** Finds the version of a flow that was current at each moment, in their order. Undefined before the first version. */
export async function findVersionsAt(
  tx: Tx,
  flow_id: number,
  momentsMs: readonly number[],
): Promise<(number | undefined)[]> {
  const versions = await tx.query<{ version: number; created_at: Date }>(sql`
    select version, created_at from flow_version where flow_id = ${flow_id} order by version desc limit 1000`)
  return momentsMs.map((ms) => versions.find(({ created_at }) => created_at.getTime() <= ms)?.version)
}

/** When parts of a profile were written, and the time zone. */
export type StampRow = {
  created_at: Date
  updated_at: Date
  email_subscribe_at: Date | null
  push_subscribe_at: Date | null
  time_zone: string | null
}

export async function findStamps(tx: Tx, { bucket, profile_id }: Person): Promise<StampRow | undefined> {
  const [row] = await tx.query<StampRow>(sql`
    select created_at, updated_at, email_subscribe_at, push_subscribe_at, time_zone from profile
    where bucket = ${bucket} and profile_id = ${profile_id}::int8`)
  return row
}

/** Finds since when changes of attributes are recorded, epoch milliseconds, by name. */
export async function listWatchedSince(
  tx: Tx,
  workspace_id: number,
  names: readonly string[],
): Promise<Map<string, number>> {
  const rows = await tx.query<{ name: string; since: Date }>(sql`
    select name, since from watched
    where workspace_id = ${workspace_id} and kind = 'attribute' and name = any(${textArray(names)}::text[])`)
  return new Map(rows.map(({ name, since }) => [name, since.getTime()]))
}
