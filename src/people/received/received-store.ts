import { boolArray, int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import {
  type EnteredFlow,
  type PersonKey,
  type PreviousMessage,
  type ReceivedKey,
  type ReceivedMessage,
  type ReceivedRow,
  type ReceivedStep,
  receivedKey,
} from './received.ts'

const columns = sql`r.bucket, r.profile_id, r.flow_id, r.entries, r.last_entered_at, r.last_entered_control_at, r.last_exited_at,
      r.last_received_at, r.variant, r.in_control, r.opened_at, r.clicked_at, r.converting_until, r.converted, r.counted_conversions,
      r.send_id, r.refused, r.refused_at`

/** Locks the rows of these people and flows and returns them by `receivedKey`. Missing rows are inserted. */
export async function lockReceived(tx: Tx, items: readonly ReceivedKey[]): Promise<Map<string, ReceivedRow>> {
  if (items.length === 0) return new Map()
  const inserted = await tx.query<ReceivedRow>(
    prepared(sql`
    insert into received as r (bucket, profile_id, flow_id, workspace_id)
    select distinct w.bucket, w.profile_id, w.flow_id, w.workspace_id
    from unnest(${keys(items)}, ${workspaces(items)}) w(bucket, profile_id, flow_id, workspace_id)
    order by w.bucket, w.profile_id, w.flow_id
    on conflict (bucket, profile_id, flow_id) do nothing returning ${columns}`),
  )
  const locked = new Map(inserted.map((row) => [receivedKey(row.profile_id, row.flow_id), row]))
  const others = items.filter(({ person, flow_id }) => !locked.has(receivedKey(person.profile_id, flow_id)))
  for (const [key, row] of await lockKnownReceived(tx, others)) locked.set(key, row)
  return locked
}

/**
 * Locks the rows of these people and flows that exist, and returns them by `receivedKey`. What depends on a missing row must be written
 * with `insertEntered`.
 */
export async function lockKnownReceived(tx: Tx, items: readonly ReceivedKey[]): Promise<Map<string, ReceivedRow>> {
  if (items.length === 0) return new Map()
  const rows = await byShard<ReceivedRow, ReceivedKey>(tx, items, (part) =>
    prepared(sql`
    select ${columns} from received r
    join (select distinct * from unnest(${keys(part.items)}) w(bucket, profile_id, flow_id)) w
      on w.bucket = r.bucket and w.profile_id = r.profile_id and w.flow_id = r.flow_id
    where true ${withinPart(part, 'r')} order by r.bucket, r.profile_id, r.flow_id for update of r`),
  )
  return new Map(rows.map((row) => [receivedKey(row.profile_id, row.flow_id), row]))
}

/**
 * Inserts the rows of people who enter a flow for the first time, with these entries. A pending entry needs a row too, which other
 * transactions lock: `pending`. Returns false when another transaction has just inserted one of the rows, so that these people must be
 * judged again.
 */
export async function insertEntered(
  tx: Tx,
  entered: readonly EnteredFlow[],
  pending: readonly ReceivedKey[],
): Promise<boolean> {
  const items = [...entered, ...pending.map((key) => ({ ...key, variant: null, inControl: null, atUs: null }))]
  if (items.length === 0) return true
  const inserted = await tx.query(
    prepared(sql`
    insert into received (bucket, profile_id, flow_id, workspace_id, entries, last_entered_at, last_entered_control_at, variant, in_control)
    select * from (${entriesByPerson(items)}) w order by 1, 2, 3
    on conflict (bucket, profile_id, flow_id) do nothing returning 1`),
  )
  return inserted.length === new Set(items.map(({ person, flow_id }) => receivedKey(person.profile_id, flow_id))).size
}

/** Records entries of people, also in the control group. The rows are locked. */
export async function recordEntered(tx: Tx, items: readonly EnteredFlow[]): Promise<void> {
  if (items.length === 0) return
  await byShard<unknown, EnteredFlow>(tx, items, (part) =>
    prepared(sql`
    update received r set entries = r.entries + w.count, last_entered_at = greatest(r.last_entered_at, w.at),
      last_entered_control_at = greatest(r.last_entered_control_at, w.control_at), variant = w.variant, in_control = w.in_control,
      refused = null, refused_at = null, counted_conversions = '{}'
    from (${entriesByPerson(part.items)}) w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id ${withinPart(part, 'r')}`),
  )
}

/** An entry, or with nulls none: a row is all that is needed. */
type EntryOrNone = ReceivedKey & { readonly [Member in 'variant' | 'inControl' | 'atUs']: EnteredFlow[Member] | null }

/** Selects a row for each person and flow: how many entries there are, when the last began, and what the last is. */
function entriesByPerson(items: readonly EntryOrNone[]): Sql {
  return sql`
      select w.bucket, w.profile_id, w.flow_id, min(w.workspace_id) as workspace_id, count(w.at)::int as count, max(w.at) as at,
        max(w.at) filter (where w.in_control) as control_at,
        (array_agg(w.variant order by w.n desc) filter (where w.at is not null))[1] as variant,
        coalesce((array_agg(w.in_control order by w.n desc) filter (where w.at is not null))[1], false) as in_control
      from unnest(${keys(items)}, ${workspaces(items)}, ${textArray(items.map(({ variant }) => variant))}::text[],
        ${boolArray(items.map(({ inControl }) => inControl))}::bool[], ${moments(items)})
        with ordinality w(bucket, profile_id, flow_id, workspace_id, variant, in_control, at, n)
      group by 1, 2, 3`
}

/** An entry that has ended for any reason. */
export type ExitedFlow = ReceivedKey & { readonly atUs: number }

export async function recordExited(tx: Tx, items: readonly ExitedFlow[]): Promise<void> {
  await recordReceived(tx, [], items)
}

/** Stores why people did not enter, so that the same refusal is not recorded with every event. */
export async function recordRefused(
  tx: Tx,
  items: readonly (ReceivedKey & { readonly reason: string; readonly atUs: number })[],
): Promise<void> {
  if (items.length === 0) return
  await tx.query(
    prepared(sql`
    insert into received as r (bucket, profile_id, flow_id, workspace_id, refused, refused_at)
    select distinct on (w.bucket, w.profile_id, w.flow_id) w.bucket, w.profile_id, w.flow_id, w.workspace_id, w.reason, w.at
    from unnest(${keys(items)}, ${workspaces(items)}, ${textArray(items.map(({ reason }) => reason))}::text[], ${moments(items)})
      with ordinality w(bucket, profile_id, flow_id, workspace_id, reason, at, n)
    order by w.bucket, w.profile_id, w.flow_id, w.n desc
    on conflict (bucket, profile_id, flow_id) do update set refused = excluded.refused, refused_at = excluded.refused_at`),
  )
}

/**
 * Records messages that mail servers accepted, and entries that ended. Both in one statement, so that concurrent transactions lock the rows
 * in the same order. Returns by `receivedKey` what each person had received before.
 */
export async function recordReceived(
  tx: Tx,
  items: readonly ReceivedMessage[],
  exited: readonly ExitedFlow[] = [],
): Promise<ReadonlyMap<string, PreviousMessage>> {
  if (items.length + exited.length === 0) return new Map()
  const messages = items.map(({ bucket, profile_id, convertingUntilUs: untilUs, ...message }) => {
    return { ...message, person: { bucket, profile_id }, untilUs, exitedUs: null }
  })
  const exits = exited.map(({ person, flow_id, workspace_id, atUs: exitedUs }) => {
    return {
      person,
      flow_id,
      workspace_id,
      step: null,
      variant: null,
      send_id: null,
      atUs: null,
      untilUs: null,
      exitedUs,
    }
  })
  const rows = [...messages, ...exits]
  const written = await tx.query<WrittenRow>(
    prepared(sql`
    insert into received as r (bucket, profile_id, flow_id, workspace_id, last_received_at, variant, send_id, converting_until,
      last_exited_at)
    select w.bucket, w.profile_id, w.flow_id, min(w.workspace_id), max(w.at),
      (array_agg(w.variant order by w.at desc) filter (where w.variant is not null))[1],
      (array_agg(w.send_id order by w.at desc) filter (where w.at is not null))[1], max(w.until), max(w.exited_at)
    from unnest(${keys(rows)}, ${workspaces(rows)}, ${textArray(rows.map(({ variant }) => variant))}::text[],
      ${textArray(rows.map(({ send_id }) => send_id))}::text[], ${moments(rows)},
      ${timestampArray(rows.map(({ untilUs }) => untilUs))}::timestamptz[],
      ${timestampArray(rows.map(({ exitedUs }) => exitedUs))}::timestamptz[])
      w(bucket, profile_id, flow_id, workspace_id, variant, send_id, at, until, exited_at)
    group by 1, 2, 3 order by 1, 2, 3
    on conflict (bucket, profile_id, flow_id) do update set last_received_at = greatest(r.last_received_at, excluded.last_received_at),
      variant = coalesce(excluded.variant, r.variant), converting_until = greatest(r.converting_until, excluded.converting_until),
      last_exited_at = greatest(r.last_exited_at, excluded.last_exited_at),
      previous_received_at = case when excluded.last_received_at is null then r.previous_received_at else r.last_received_at end,
      previous_send_id = case when excluded.last_received_at is null then r.previous_send_id else r.send_id end,
      send_id = case when excluded.last_received_at is null then r.send_id else excluded.send_id end,
      counted_conversions = case when excluded.last_received_at is null or r.entries > 0 then r.counted_conversions else '{}' end
    returning r.profile_id, r.flow_id, r.previous_received_at, r.previous_send_id`),
  )
  await recordSteps(
    tx,
    items.filter(({ step }) => step !== ''),
  )
  return new Map(written.map((row) => [receivedKey(row.profile_id, row.flow_id), previousMessage(row)]))
}

type WrittenRow = {
  profile_id: string
  flow_id: number
  previous_received_at: Date | null
  previous_send_id: string | null
}

function previousMessage({ previous_received_at, previous_send_id }: WrittenRow): PreviousMessage {
  return { atMs: previous_received_at?.getTime() ?? null, send_id: previous_send_id }
}

async function recordSteps(tx: Tx, items: readonly ReceivedMessage[]): Promise<void> {
  if (items.length === 0) return
  const received = items.map(({ bucket, profile_id, flow_id }) => ({ person: { bucket, profile_id }, flow_id }))
  await tx.query(
    prepared(sql`
    insert into received_step as r (bucket, profile_id, flow_id, step, last_received_at)
    select w.bucket, w.profile_id, w.flow_id, w.step, max(w.at)
    from unnest(${keys(received)}, ${textArray(items.map(({ step }) => step))}::text[], ${moments(items)})
      w(bucket, profile_id, flow_id, step, at)
    group by 1, 2, 3, 4 order by 1, 2, 3, 4
    on conflict (bucket, profile_id, flow_id, step)
      do update set last_received_at = greatest(r.last_received_at, excluded.last_received_at)`),
  )
}

/** Records first opens and clicks by people, not by machines. A person without a row received no message of the flow. */
export async function recordEngaged(
  tx: Tx,
  items: readonly (Omit<ReceivedKey, 'workspace_id'> & {
    readonly kind: 'opened' | 'clicked'
    readonly atUs: number
  })[],
): Promise<void> {
  if (items.length === 0) return
  await byShard<unknown, (typeof items)[number]>(tx, items, (part) =>
    prepared(sql`
    with w as materialized (
      select r.bucket, r.profile_id, r.flow_id, w.opened_at, w.clicked_at
      from (
        select w.bucket, w.profile_id, w.flow_id, min(w.at) filter (where w.kind = 'opened') as opened_at,
          min(w.at) filter (where w.kind = 'clicked') as clicked_at
        from unnest(${keys(part.items)}, ${textArray(part.items.map(({ kind }) => kind))}::text[], ${moments(part.items)})
          w(bucket, profile_id, flow_id, kind, at)
        group by 1, 2, 3) w
      join received r on r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id
      where true ${withinPart(part, 'r')} order by r.bucket, r.profile_id, r.flow_id for no key update of r)
    update received r set opened_at = coalesce(r.opened_at, w.opened_at), clicked_at = coalesce(r.clicked_at, w.clicked_at) from w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id ${withinPart(part, 'r')}
      and (r.opened_at is null and w.opened_at is not null or r.clicked_at is null and w.clicked_at is not null)`),
  )
}

/** Adds the names of conversions that were made, and that were counted. The rows are locked. */
export async function recordConverted(
  tx: Tx,
  items: readonly (Omit<ReceivedKey, 'workspace_id'> & { readonly names: readonly string[] })[],
): Promise<void> {
  if (items.length === 0) return
  const united = (column: Sql) => sql`(
      select coalesce(array_agg(name order by name), '{}')
      from (select unnest(${column}) as name union select jsonb_array_elements_text(w.names)) n)`
  await byShard<unknown, (typeof items)[number]>(tx, items, (part) =>
    prepared(sql`
    update received r set converted = ${united(sql`r.converted`)}, counted_conversions = ${united(sql`r.counted_conversions`)}
    from (
      select w.bucket, w.profile_id, w.flow_id, jsonb_agg(name) as names
      from unnest(${keys(part.items)}, ${jsonbArray(part.items.map(({ names }) => JSON.stringify(names)))}::jsonb[])
        w(bucket, profile_id, flow_id, names)
      cross join jsonb_array_elements_text(w.names) name
      group by 1, 2, 3) w
    where r.bucket = w.bucket and r.profile_id = w.profile_id and r.flow_id = w.flow_id ${withinPart(part, 'r')}`),
  )
}

/** Lists the rows of these people in all flows, or in `flow_ids`, without locks. */
export async function listReceived(
  tx: Tx,
  people: readonly PersonKey[],
  flow_ids?: readonly number[],
): Promise<ReceivedRow[]> {
  if (people.length === 0) return []
  return byShard<ReceivedRow, PersonKey>(tx, people, (part) =>
    prepared(sql`
    select ${columns} from unnest(${ids(part.items)}) w(bucket, profile_id)
    join received r on r.bucket = w.bucket and r.profile_id = w.profile_id
      ${flow_ids ? sql`and r.flow_id = any(${int4Array(flow_ids)}::int4[])` : sql``}
    where true ${withinPart(part, 'r')} order by r.profile_id, r.flow_id`),
  )
}

/** Lists the steps of canvases whose messages these people received. */
export async function listReceivedSteps(tx: Tx, people: readonly PersonKey[]): Promise<ReceivedStep[]> {
  if (people.length === 0) return []
  return byShard<ReceivedStep, PersonKey>(tx, people, (part) =>
    prepared(sql`
    select r.profile_id, r.flow_id, r.step, r.last_received_at from unnest(${ids(part.items)}) w(bucket, profile_id)
    join received_step r on r.bucket = w.bucket and r.profile_id = w.profile_id
    where true ${withinPart(part, 'r')} order by r.profile_id, r.flow_id, r.last_received_at, r.step`),
  )
}

function ids(people: readonly PersonKey[]): Sql {
  return sql`${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ profile_id }) => profile_id))}::int8[]`
}

function keys(items: readonly { readonly person: PersonKey; readonly flow_id: number }[]): Sql {
  return sql`${ids(items.map(({ person }) => person))}, ${int4Array(items.map(({ flow_id }) => flow_id))}::int4[]`
}

function workspaces(items: readonly { readonly workspace_id: number }[]): Sql {
  return sql`${int4Array(items.map(({ workspace_id }) => workspace_id))}::int4[]`
}

function moments(items: readonly { readonly atUs: number | null }[]): Sql {
  return sql`${timestampArray(items.map(({ atUs }) => atUs))}::timestamptz[]`
}
