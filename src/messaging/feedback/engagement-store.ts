import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { TokenTarget } from '../../people/addresses/message-token.ts'
import { insertSelectedEvents } from '../../people/feed/write-store.ts'
import { findCurrent, findCurrentOf } from '../../people/identity/current-store.ts'
import { bucketOfId, type Person, person } from '../../people/identity/person.ts'

export const engagementKinds = ['opened', 'clicked', 'machine_opened', 'machine_clicked', 'unsubscribed'] as const
export type EngagementKind = (typeof engagementKinds)[number]

/** A message with its present person. */
export type EngagedMessage = {
  /** The number of the given target, from 1. */
  n: number
  bucket: number
  profile_id: string
  workspace_id: number
  channel: string
  state: string
  ended_at: Date | null
  /** The canvas or campaign of the message, with what its counts need. */
  flow_id: number | null
  variant: string | null
  step: string
  send_id: string | null
  email_open_tracking_disabled: boolean
  email_click_tracking_disabled: boolean
}

/** Finds the messages that still exist, with their present people. */
export function findEngagedMessages(tx: Tx, targets: readonly TokenTarget[]): Promise<EngagedMessage[]> {
  return (tx.placement === undefined ? joinEngagedMessages : lookEngagedMessagesUp)(tx, targets)
}

const engagedColumns = sql`o.bucket, o.profile_id, o.workspace_id, m.channel, m.state, m.ended_at, m.flow_id, m.variant, m.step,
      d.send_id, o.email_open_tracking_disabled, o.email_click_tracking_disabled`

function joinEngagedMessages(tx: Tx, targets: readonly TokenTarget[]): Promise<EngagedMessage[]> {
  return tx.query<EngagedMessage>(sql`
    select w.n::int as n, ${engagedColumns}
    from unnest(
      ${int4Array(targets.map((each) => bucketOfId(each.profile_id)))}::int4[],
      ${int8Array(targets.map((each) => each.profile_id))}::int8[],
      ${int8Array(targets.map((each) => each.message_id))}::int8[]) with ordinality w(bucket, profile_id, message_id, n)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    join profile o on o.bucket = coalesce(p.merged_bucket, p.bucket) and o.profile_id = coalesce(p.merged_into, p.profile_id)
    join message m on m.bucket = o.bucket and m.message_id = w.message_id and m.profile_id = o.profile_id
    left join entry e on e.bucket = m.bucket and e.entry_id = m.cause
    left join dispatch d on m.flow_id is not null and d.dispatch_id = coalesce(e.dispatch_id, m.cause)`)
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookEngagedMessagesUp(tx: Tx, targets: readonly TokenTarget[]): Promise<EngagedMessage[]> {
  const people = targets.map(({ profile_id }) => person(bucketOfId(profile_id), profile_id))
  const current = await findCurrent(tx, people)
  const wanted = targets.flatMap(({ profile_id, message_id }, i) => {
    const owner = current.get(profile_id)
    return owner === undefined ? [] : [{ person: owner, message_id, n: i + 1 }]
  })
  const rows = await byShardWithItems<EngagedMessage, (typeof wanted)[number]>(tx, wanted, (part) =>
    prepared(sql`
    select w.n::int as n, ${engagedColumns}
    from unnest(
      ${int4Array(part.items.map((each) => each.person.bucket))}::int4[], ${int8Array(part.items.map((each) => each.person.key))}::int8[],
      ${int8Array(part.items.map((each) => each.message_id))}::int8[]) with ordinality w(bucket, profile_id, message_id, n)
    join profile o on o.bucket = w.bucket and o.profile_id = w.profile_id ${withinPart(part, 'o')}
    join message m on m.bucket = o.bucket and m.message_id = w.message_id and m.profile_id = o.profile_id ${withinPart(part, 'm')}
    left join entry e on e.bucket = m.bucket and e.entry_id = m.cause ${withinPart(part, 'e')}
    left join dispatch d on m.flow_id is not null and d.dispatch_id = coalesce(e.dispatch_id, m.cause)`),
  )
  return rows.map(({ row, item }) => ({ ...row, n: item.n }))
}

/**
 * Returns the ids of messages in which something was clicked before. The messages are locked, so that no two processes see the first click
 * of one.
 */
export async function listClickedBefore(tx: Tx, rows: readonly EngagementRow[]): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const wanted = (
    each: readonly EngagementRow[],
  ) => sql`unnest(${int4Array(each.map((row) => row.person.bucket))}::int4[],
      ${int8Array(each.map((row) => row.person.key))}::int8[],
      ${int8Array(each.map((row) => row.message_id))}::int8[]) w(bucket, profile_id, message_id)`
  await byShard<unknown, EngagementRow>(tx, rows, (part) =>
    prepared(sql`
    select 1 from ${wanted(part.items)} join message m on m.bucket = w.bucket and m.message_id = w.message_id
    where true ${withinPart(part, 'm')} order by m.bucket, m.message_id for no key update of m`),
  )
  const clicked = await byShard<{ message_id: string }, EngagementRow>(tx, rows, (part) =>
    prepared(sql`
    select distinct e.message_id::text as message_id from ${wanted(part.items)}
    join engagement e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.message_id = w.message_id and e.kind = 'clicked'
      ${withinPart(part, 'e')}`),
  )
  return new Set(clicked.map(({ message_id }) => message_id))
}

/** The engagements of one kind of a person with one message. Times are epoch milliseconds. */
export type EngagementRow = {
  person: Person
  message_id: string
  channel: string
  kind: EngagementKind
  link: number
  firstMs: number
  lastMs: number
  count: number
  workspace_id: number
  flow_id: number | null
  variant: string | null
  step: string
  send_id: string | null
}

/**
 * Adds engagements to their rows, and updates the time of a person's last engagement, except for machines. `rows` has each key once, in the
 * order of keys. Returns the indexes of rows that are new; for each of them there is an event. `stampUs` is the time of the events.
 */
export async function upsertEngagements(tx: Tx, rows: readonly EngagementRow[], stampUs: number): Promise<Set<number>> {
  if (rows.length === 0) return new Set()
  const fresh = await byShardWithItems<{ n: number }, EngagementRow>(
    tx,
    rows,
    (part) => sql`
    with seen as (select * from unnest(
      ${int4Array(part.items.map((row) => row.person.bucket))}::int4[], ${int8Array(part.items.map((row) => row.person.key))}::int8[],
      ${int8Array(part.items.map((row) => row.message_id))}::int8[], ${textArray(part.items.map((row) => row.kind))}::text[],
      ${int4Array(part.items.map((row) => row.link))}::int4[],
      ${timestampArray(part.items.map((row) => row.firstMs * 1000))}::timestamptz[],
      ${timestampArray(part.items.map((row) => row.lastMs * 1000))}::timestamptz[],
      ${int4Array(part.items.map((row) => row.count))}::int4[], ${textArray(part.items.map((row) => row.channel))}::text[],
      ${int4Array(part.items.map((row) => row.workspace_id))}::int4[], ${int4Array(part.items.map((row) => row.flow_id))}::int4[]
    ) with ordinality s(bucket, profile_id, message_id, kind, link, first_at, last_at, count, channel, workspace_id, flow_id, n)),
    written as (
      insert into engagement as e (bucket, profile_id, message_id, kind, link, first_at, last_at, count)
      select bucket, profile_id, message_id, kind, link, first_at, last_at, count from seen
      on conflict (bucket, profile_id, message_id, kind, link) do update set
        first_at = least(e.first_at, excluded.first_at), last_at = greatest(e.last_at, excluded.last_at),
        count = (least(e.count::int8 + excluded.count, 2147483647))::int4
      returning e.bucket, e.profile_id, e.message_id, e.kind, e.link, e.xmax = 0 as is_new),
    engaged as (
    insert into last_engaged as l (bucket, profile_id, channel, kind, at)
    select bucket, profile_id, channel, kind, max(last_at) from seen where kind not like 'machine%'
    group by bucket, profile_id, channel, kind order by bucket, profile_id, channel, kind
    on conflict (bucket, profile_id, channel, kind) do update set at = greatest(l.at, excluded.at)),
    fed as (${engagementEvents(part, stampUs)})
    select s.n::int as n from written join seen s using (bucket, profile_id, message_id, kind, link) where written.is_new`,
  )
  return new Set(fresh.map(({ index }) => index))
}

/**
 * Returns the events of new rows. Of those of one transaction an open comes before a click, and a click before the end of a subscription.
 */
function engagementEvents(part: ShardPart<EngagementRow>, stampUs: number): Sql {
  return insertSelectedEvents(sql`
      select s.bucket, s.profile_id, s.workspace_id, s.profile_id, 'message.' || replace(s.kind, 'machine_', ''),
        concat_ws(':', s.message_id, s.kind, s.link), ${timestampFromUs(stampUs)},
        case when s.kind like '%opened' then 0 when s.kind like '%clicked' then 1 else 2 end, null::int8, null::text, s.message_id,
        s.flow_id, m.address, json_strip_nulls(json_build_object('channel', s.channel, 'url', m.links[s.link + 1],
          'machine', case when s.kind like 'machine%' then true end))::text
      from written w join seen s using (bucket, profile_id, message_id, kind, link)
      left join message m on m.bucket = s.bucket and m.message_id = s.message_id ${withinPart(part, 'm')}
      where w.is_new`)
}

/** Finds the target of a tracked link. Returns undefined if the message is deleted or has no such link. */
export async function findLinkTarget(
  tx: Tx,
  { profile_id, message_id }: TokenTarget,
  link: number,
): Promise<string | undefined> {
  const [row] = await (tx.placement === undefined ? joinTarget : lookTargetUp)(tx, { profile_id, message_id }, link)
  return row?.target ?? undefined
}

type TargetRow = { target: string | null }

function joinTarget(tx: Tx, { profile_id, message_id }: TokenTarget, link: number): Promise<TargetRow[]> {
  return tx.query<TargetRow>(sql`
    select m.links[${link}::int4 + 1] as target
    from profile p
    join profile o on o.bucket = coalesce(p.merged_bucket, p.bucket) and o.profile_id = coalesce(p.merged_into, p.profile_id)
    join message m on m.bucket = o.bucket and m.message_id = ${message_id}::int8 and m.profile_id = o.profile_id
    where p.bucket = ${bucketOfId(profile_id)} and p.profile_id = ${profile_id}::int8`)
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookTargetUp(tx: Tx, { profile_id, message_id }: TokenTarget, link: number): Promise<TargetRow[]> {
  const current = await findCurrentOf(tx, profile_id)
  if (current === undefined) return []
  return tx.query<TargetRow>(sql`
    select m.links[${link}::int4 + 1] as target from message m
    where m.bucket = ${current.bucket} and m.message_id = ${message_id}::int8 and m.profile_id = ${current.key}::int8`)
}

/** Deletes the engagements with these messages. */
export async function deleteEngagements(
  tx: Tx,
  messages: readonly { readonly bucket: number; readonly profile_id: string; readonly message_id: string }[],
): Promise<void> {
  await byShard<unknown, (typeof messages)[number]>(tx, messages, (part) =>
    prepared(sql`
    delete from engagement e using unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ profile_id }) => profile_id))}::int8[],
      ${int8Array(part.items.map(({ message_id }) => message_id))}::int8[]) w(bucket, profile_id, message_id)
    where e.bucket = w.bucket and e.profile_id = w.profile_id and e.message_id = w.message_id ${withinPart(part, 'e')}`),
  )
}
