import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import type { EntryEnd, EntryState } from '../entries/entry.ts'
import type { Timing } from '../expansion/optimal-time.ts'

/** An entry of somebody in a flow. */
export type EntryRow = {
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

/** Entries of these people in a flow, newest first; of one order where it is named. */
export function listEntries(
  tx: Tx,
  people: readonly Person[],
  flow_id: number,
  dispatch_id: string | undefined,
  limit: number,
): Promise<EntryRow[]> {
  return tx.query<EntryRow>(sql`
    select e.bucket, e.profile_id, e.entry_id, e.version, e.dispatch_id, e.state, e.held, e.ended, e.variant, e.in_control, e.step,
      e.visit, e.due_at, e.timing, e.entered_at, e.ended_at
    from unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ key }) => key))}::int8[])
      w(bucket, profile_id)
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.flow_id = ${flow_id}
      ${dispatch_id ? sql`and e.dispatch_id = ${dispatch_id}::uuid` : raw('')}
    order by e.entered_at desc, e.entry_id limit ${limit}`)
}

/** The entries that an order brought these people: what is decided about them has their ids for a cause. */
export async function listEntryIds(tx: Tx, people: readonly Person[], dispatch_id: string): Promise<string[]> {
  const rows = await tx.query<{ entry_id: string }>(sql`
    select e.entry_id
    from unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ key }) => key))}::int8[])
      w(bucket, profile_id)
    join entry e on e.bucket = w.bucket and e.dispatch_id = ${dispatch_id}::uuid and e.profile_id = w.profile_id`)
  return rows.map(({ entry_id }) => entry_id)
}

/** The orders that brought these entries, by `entry_id`. */
export async function findOrders(
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

/** Some of all entries that an order brought. */
export async function listOrderEntries(tx: Tx, dispatch_id: string, limit: number): Promise<string[]> {
  const rows = await tx.query<{ entry_id: string }>(
    sql`select e.entry_id from entry e where e.dispatch_id = ${dispatch_id}::uuid limit ${limit}`,
  )
  return rows.map(({ entry_id }) => entry_id)
}

/** An order, or an occurrence of a schedule, that named nobody, and when it looked for people like this one. */
export type BroadcastRow = { dispatch_id: string; by: string; audience: unknown; at: Date }

/** The latest broadcasts of a flow until now, as far as they looked among people who live in one of these zones. */
export function listBroadcasts(
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

/** Which people were asked for by these orders, as trees. */
export async function findAudiences(tx: Tx, dispatch_ids: readonly string[]): Promise<Map<string, unknown>> {
  if (dispatch_ids.length === 0) return new Map()
  const rows = await tx.query<{ dispatch_id: string; audience: unknown }>(sql`
    select dispatch_id, sending -> 'audience' as audience from dispatch
    where dispatch_id = any(${textArray(dispatch_ids)}::text[]::uuid[]) and sending -> 'audience' is not null`)
  return new Map(rows.map(({ dispatch_id, audience }) => [dispatch_id, audience]))
}

/** The version that whoever entered at each of these moments got; undefined before the first one. In their order. */
export async function findVersionsAt(
  tx: Tx,
  flow_id: number,
  momentsMs: readonly number[],
): Promise<(number | undefined)[]> {
  const versions = await tx.query<{ version: number; created_at: Date }>(sql`
    select version, created_at from flow_version where flow_id = ${flow_id} order by version desc limit 1000`)
  return momentsMs.map((ms) => versions.find(({ created_at }) => created_at.getTime() <= ms)?.version)
}

/** When something of a person was written, and where they live. */
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

/** Since when changes of these attributes are kept, epoch milliseconds. */
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
