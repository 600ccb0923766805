import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { fedWorkspaces } from './write-store.ts'

/** The feed of a workspace as it is stored. Positions are decimal texts. */
export type FeedRow = {
  readonly workspace_id: number
  readonly is_on: boolean
  readonly last_position: string
  readonly lost_position: string
}

/** A feed that may need a turn: it is wanted or was, and events may wait for a position. */
export type FeedTurn = {
  readonly workspace_id: number
  readonly wanted: boolean
  /** Null before its first turn. */
  readonly is_on: boolean | null
  readonly waits: boolean
}

const turns = sql`
    select t.workspace_id, t.wanted, t.is_on,
      exists (select 1 from feed_event e where e.workspace_id = t.workspace_id and e.position is null) as waits
    from (
      select coalesce(f.workspace_id, w.workspace_id) as workspace_id, w.workspace_id is not null as wanted, f.is_on
      from feed f full join (select distinct n.workspace_id from (${fedWorkspaces}) n) w on w.workspace_id = f.workspace_id
      where w.workspace_id is not null or f.is_on) t`

/** Has a row when a feed needs a turn. */
export function feedTurnProbe(): Sql {
  return sql`select 1 from (${turns}) t where t.waits or coalesce(t.is_on, not t.wanted) <> t.wanted`
}

export function listTurns(tx: Tx): Promise<FeedTurn[]> {
  return tx.query<FeedTurn>(
    prepared(sql`select t.workspace_id, t.wanted, t.is_on, t.waits from (${turns}) t order by t.workspace_id`),
  )
}

export async function findFeed(tx: Tx, workspace_id: number): Promise<FeedRow | undefined> {
  const [row] = await tx.query<FeedRow>(
    sql`select workspace_id, is_on, last_position, lost_position from feed where workspace_id = ${workspace_id}`,
  )
  return row
}

/** Makes the feed of a workspace, unless there is one. */
export async function insertFeed(tx: Tx, workspace_id: number): Promise<void> {
  await tx.query(sql`
    insert into feed (workspace_id, is_on) values (${workspace_id}, true) on conflict (workspace_id) do nothing`)
}

/** Locks a feed until the end of the transaction. Returns undefined when another process has it. */
export async function lockFeed(tx: Tx, workspace_id: number): Promise<FeedRow | undefined> {
  const [row] = await tx.query<FeedRow>(
    prepared(sql`
    select workspace_id, is_on, last_position, lost_position from feed
    where workspace_id = ${workspace_id} for update skip locked`),
  )
  return row
}

/**
 * Gives positions to events without one, in the order of their times, and stores what names their people then. The feed is locked. Returns
 * how many there were. Two events of one person whose transactions followed each other never get them in the wrong order: this statement
 * sees the first one whenever it sees the second one.
 */
export async function numberEvents(tx: Tx, feed: FeedRow, limit: number): Promise<number> {
  const numbered = await (tx.placement === undefined ? numberWaiting(tx, feed, limit) : numberByShard(tx, feed, limit))
  if (numbered.length === 0) return 0
  const last = numbered.reduce((most, { position }) => (BigInt(position) > most ? BigInt(position) : most), 0n)
  await tx.query(
    prepared(sql`update feed set last_position = ${last.toString()}::int8 where workspace_id = ${feed.workspace_id}`),
  )
  return numbered.length
}

type Numbered = { readonly position: string }

function waitingEvents({ workspace_id }: FeedRow, limit: number): Sql {
  return sql`
      select o.bucket, o.profile_id, o.event_id, o.message_id, row_number() over (order by o.time, o.rank, o.event_id) as n
      from feed_event o where o.workspace_id = ${workspace_id} and o.position is null
      order by o.time, o.rank, o.event_id limit ${limit}`
}

function numberWaiting(tx: Tx, feed: FeedRow, limit: number): Promise<Numbered[]> {
  return tx.query<Numbered>(
    prepared(sql`
    with waiting as materialized (${waitingEvents(feed, limit)})
    update feed_event e set position = ${feed.last_position}::int8 + w.n, external_id = coalesce(e.external_id, p.external_id),
      address = coalesce(e.address, m.address)
    from waiting w
    left join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    left join message m on m.bucket = w.bucket and m.message_id = w.message_id
    where e.bucket = w.bucket and e.profile_id = w.profile_id and e.event_id = w.event_id and e.position is null
    returning e.position`),
  )
}

type WaitingEvent = { bucket: number; profile_id: string; event_id: string; message_id: string | null; n: string }

/** Does the same in two steps: all shards are asked which events are next, and each numbers its own. */
async function numberByShard(tx: Tx, feed: FeedRow, limit: number): Promise<Numbered[]> {
  const waiting = await tx.query<WaitingEvent>(prepared(waitingEvents(feed, limit)))
  return byShard<Numbered, WaitingEvent>(tx, waiting, (part) =>
    prepared(sql`
    update feed_event e set position = ${feed.last_position}::int8 + w.n, external_id = coalesce(e.external_id, p.external_id),
      address = coalesce(e.address, m.address)
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ profile_id }) => profile_id))}::int8[],
      ${textArray(part.items.map(({ event_id }) => event_id))}::text[],
      ${int8Array(part.items.map(({ message_id }) => message_id ?? '0'))}::int8[],
      ${int8Array(part.items.map(({ n }) => n))}::int8[]) w(bucket, profile_id, event_id, message_id, n)
    left join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}
    left join message m on m.bucket = w.bucket and m.message_id = w.message_id ${withinPart(part, 'm')}
    where e.bucket = w.bucket and e.profile_id = w.profile_id and e.event_id = w.event_id::uuid and e.position is null
      ${withinPart(part, 'e')}
    returning e.position`),
  )
}

/** Whether somebody wants the events of a workspace now. */
export async function isFeedWanted(tx: Tx, workspace_id: number): Promise<boolean> {
  const rows = await tx.query(
    sql`select from (${fedWorkspaces}) n where n.workspace_id = ${workspace_id}::int4 limit 1`,
  )
  return rows.length > 0
}

/**
 * Switches the feed of a workspace on, for a transaction that makes a webhook. A worker that has just seen no webhook does not switch it
 * off again: the feed is locked until the webhook can be seen. A feed without a row begins with the first turn of a worker.
 */
export async function keepFeedOn(tx: Tx, workspace_id: number): Promise<void> {
  const [feed] = await tx.query<FeedRow>(sql`
    select workspace_id, is_on, last_position, lost_position from feed where workspace_id = ${workspace_id} for update`)
  if (feed && !feed.is_on) await switchFeedOn(tx, feed)
}

/** Stores that events are written again, and returns the feed. It is locked. */
export async function switchFeedOn(tx: Tx, feed: FeedRow): Promise<FeedRow> {
  const on = switchedOn(feed)
  await tx.query(sql`
    update feed set is_on = true, last_position = ${on.last_position}::int8, lost_position = ${on.lost_position}::int8
    where workspace_id = ${on.workspace_id}`)
  return on
}

/** Stores that events are no longer written. */
export async function switchFeedOff(tx: Tx, workspace_id: number): Promise<void> {
  await tx.query(sql`update feed set is_on = false where workspace_id = ${workspace_id}`)
}

/**
 * Returns a feed whose events are written again. A position is left out that no reader can have seen, so that readers from before learn
 * that something is missing. Pure.
 */
export function switchedOn(feed: FeedRow): FeedRow {
  const position = (BigInt(feed.last_position) + 1n).toString()
  return { ...feed, is_on: true, last_position: position, lost_position: position }
}
