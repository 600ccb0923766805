import { boolArray, int4Array, int8Array, jsonbArray, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Located, Move, Person } from '../../people/identity/person.ts'
import { moveRows, personRows } from '../../people/identity/person-store.ts'
import type { Message, Settled } from '../messages/duplicate-messages.ts'

/** A message of somebody who goes up in somebody else, or of that one: `n` counts the moves from 1. */
export type MergedMessage = Message & {
  readonly n: number
  readonly workspace_id: number
  readonly cause: string
  readonly channel: string
}

const columns = sql`m.bucket, m.message_id, m.workspace_id, m.cause, m.step, m.visit, m.channel, m.state,
  m.doubted`

/** Locks the messages of people who go up in others; whoever delivered one of them has ended by then. */
export async function lockLeaving(tx: Tx, moves: readonly Move[]): Promise<MergedMessage[]> {
  return tx.query<MergedMessage>(
    prepared(sql`
    select w.n::int as n, ${columns}
    from ${moveRows(moves)} with ordinality w(bucket, profile_id, into_bucket, into_id, n)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id
    order by m.bucket, m.message_id for update of m`),
  )
}

/** Locks the messages of the same causes of those who stay. */
export async function lockStaying(
  tx: Tx,
  moves: readonly Move[],
  leaving: readonly MergedMessage[],
): Promise<MergedMessage[]> {
  const asked = [...Map.groupBy(leaving, ({ n, cause }) => `${n}/${cause}`).values()].map(([first]) => first!)
  const into = asked.map(({ n }) => moves[n - 1]!.into)
  return tx.query<MergedMessage>(
    prepared(sql`
    select w.n, ${columns}
    from unnest(
      ${int4Array(into.map(({ bucket }) => bucket))}::int4[], ${int8Array(into.map(({ key }) => key))}::int8[],
      ${int4Array(asked.map(({ n }) => n))}::int4[], ${textArray(asked.map(({ cause }) => cause))}::text[])
      w(bucket, profile_id, n, cause)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.cause = w.cause::uuid
    order by m.bucket, m.message_id for update of m`),
  )
}

function settledOf(settled: readonly Settled<MergedMessage>[]): Sql {
  return sql`unnest(
      ${int4Array(settled.map(({ message }) => message.bucket))}::int4[],
      ${int8Array(settled.map(({ message }) => message.message_id))}::int8[],
      ${textArray(settled.map(({ step }) => step))}::text[], ${boolArray(settled.map(({ because }) => because !== undefined))}::bool[]`
}

/** Steps aside for messages that arrive, where the person stays. */
export async function setAside(tx: Tx, settled: readonly Settled<MergedMessage>[], stampUs: number): Promise<void> {
  if (settled.length === 0) return
  await tx.query(
    prepared(sql`
    update message m set step = w.step,
      state = case when w.ends and m.doubted then 'uncertain' when w.ends then 'cancelled' else m.state end,
      reason = case when w.ends and m.doubted then 'uncertain' when w.ends then 'merged' else m.reason end,
      ended_at = case when w.ends then ${timestampFromUs(stampUs)} else m.ended_at end,
      lease = case when w.ends then null else m.lease end, leased_until = case when w.ends then null else m.leased_until end
    from ${settledOf(settled)}) w(bucket, message_id, step, ends)
    where m.bucket = w.bucket and m.message_id = w.message_id`),
  )
}

/** Columns of a message that go along as they are. */
const carried = [
  ...['message_id', 'workspace_id', 'cause', 'visit', 'channel', 'class', 'planned_at', 'due_at', 'attempts', 'room'],
  ...['doubted', 'address', 'subject', 'links', 'warnings', 'response', 'bounced_at', 'complained_at'],
  ...['flow_id', 'flow_version', 'variant'],
]

/** Those that a move may change, and to what. */
const changed = (ended: Sql): Readonly<Record<string, Sql>> => ({
  bucket: raw('into_bucket'),
  profile_id: raw('into_id'),
  step: raw('new_step'),
  state: raw(
    `case when ends and doubted then 'uncertain' when ends then 'cancelled' when state = 'leased' then 'queued' else state end`,
  ),
  reason: raw(`case when ends and doubted then 'uncertain' when ends then 'merged' else reason end`),
  lease: raw(`case when not ends and state = 'handed_over' then lease end`),
  leased_until: raw(`case when not ends and state = 'handed_over' then leased_until end`),
  ended_at: sql`case when ends then ${ended} else ended_at end`,
})

/** Every column of the table, so that a test tells when one is left behind. */
export const messageColumns: readonly string[] = [...carried, ...Object.keys(changed(raw('')))]

/**
 * Gives messages to who has the person now; false when somebody wrote one in the same moment that has the place of another, and nothing
 * of it may be kept. What somebody was preparing for the one who is gone is prepared anew; what a server may have is not touched.
 */
export async function moveMessages(
  tx: Tx,
  moves: readonly Move[],
  settled: readonly Settled<MergedMessage>[],
  stampUs: number,
): Promise<boolean> {
  const into = settled.map(({ message }) => moves[message.n - 1]!.into)
  const moved = await tx.query(
    prepared(sql`
    with gone as (
      delete from message m using ${settledOf(settled)},
        ${int4Array(into.map(({ bucket }) => bucket))}::int4[], ${int8Array(into.map(({ key }) => key))}::int8[])
        w(bucket, message_id, step, ends, into_bucket, into_id)
      where m.bucket = w.bucket and m.message_id = w.message_id
      returning m.*, w.step as new_step, w.ends, w.into_bucket, w.into_id)
    insert into message (${raw(messageColumns.join(', '))})
    select ${raw(carried.join(', '))}, ${join(Object.values(changed(timestampFromUs(stampUs))), ', ')} from gone
    on conflict do nothing returning 1`),
  )
  return moved.length === settled.length
}

/**
 * Removes the messages of these people; how many there were, and how they ended, is kept without them. Those that an entry caused are
 * told by what is kept of entries.
 */
export async function removeMessages(tx: Tx, people: readonly Person[]): Promise<void> {
  await tx.query(
    prepared(sql`
    with gone as (
      delete from message m using ${personRows(people)} w(bucket, profile_id)
      where m.bucket = w.bucket and m.profile_id = w.profile_id
      returning m.cause, m.channel, m.flow_version,
        coalesce(m.reason, case when m.state = 'handed_over' or m.doubted then 'uncertain' else 'deleted' end) as reason)
    insert into deleted_messages as d (cause, channel, reason, count)
    select cause, channel, reason, count(*) from gone where flow_version is null
    group by cause, channel, reason order by cause, channel, reason
    on conflict (cause, channel, reason) do update set count = d.count + excluded.count`),
  )
}

/** An identifier of a deleted person as a request to send names it. */
export type Asked = Located & { readonly asked: object }

/** Removes the decisions that nobody has these identifiers, and keeps how many there were. */
export async function removeAsked(tx: Tx, asked: readonly Asked[]): Promise<void> {
  await tx.query(
    prepared(sql`
    with gone as (
      delete from decision d using unnest(
        ${int4Array(asked.map(({ bucket }) => bucket))}::int4[], ${int4Array(asked.map(({ workspace_id }) => workspace_id))}::int4[],
        ${jsonbArray(asked.map((each) => JSON.stringify(each.asked)))}::jsonb[]) w(bucket, workspace_id, asked)
      where d.bucket = w.bucket and d.profile_id = 0 and d.workspace_id = w.workspace_id and d.asked @> w.asked
      returning d.cause, d.channel, d.reason)
    insert into deleted_messages as d (cause, channel, reason, count)
    select cause, channel, reason, count(*) from gone group by cause, channel, reason order by cause, channel, reason
    on conflict (cause, channel, reason) do update set count = d.count + excluded.count`),
  )
}

/** An identifier that a merge takes from everybody, as a request names it, and what the kept person is called instead. */
export type Dropped = {
  workspace_id: number
  kind: 'external_id' | 'alias' | 'email'
  value: string
  into_id: string
  kept_id: string | null
  kept_alias: string | null
}

/** What will name nobody any more when these profiles have gone up in others. */
export async function listDropped(tx: Tx, moves: readonly Move[]): Promise<Dropped[]> {
  return tx.query<Dropped>(
    prepared(sql`
    with pairs as materialized (
      select w.*, p.workspace_id, p.external_id, p.email, k.external_id as kept_id, k.email as kept_email, (
        select a.alias_label || chr(31) || a.alias_name from profile_alias a
        where a.bucket = w.into_bucket and a.profile_id = w.into_id order by a.alias_label limit 1) as kept_alias
      from ${moveRows(moves)} w(bucket, profile_id, into_bucket, into_id)
      join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
      join profile k on k.bucket = w.into_bucket and k.profile_id = w.into_id)
    select workspace_id, 'external_id' as kind, external_id as value, into_id, kept_id, kept_alias from pairs where external_id is not null
    union all
    select w.workspace_id, 'external_id', f.external_id, w.into_id, w.kept_id, w.kept_alias
    from pairs w join former_id f on f.bucket = w.bucket and f.profile_id = w.profile_id
    union all
    select w.workspace_id, 'alias', a.alias_label || chr(31) || a.alias_name, w.into_id, w.kept_id, w.kept_alias
    from pairs w join profile_alias a on a.bucket = w.bucket and a.profile_id = w.profile_id
    join profile_alias b on b.bucket = w.into_bucket and b.profile_id = w.into_id and b.alias_label = a.alias_label
    union all
    select w.workspace_id, 'email', w.email, w.into_id, w.kept_id, w.kept_alias
    from pairs w cross join lateral (
      select sha256(convert_to(w.workspace_id || ${'\u001femail\u001f'}::text || w.email, 'UTF8')) as hash) h
    where w.email <> w.kept_email and not exists (
      select 1 from contact c
      where c.bucket = (get_byte(h.hash, 0) << 4) + (get_byte(h.hash, 1) >> 4) and c.workspace_id = w.workspace_id and c.kind = 'email'
        and c.value = w.email and (c.owner_bucket, c.owner_id) <> (w.bucket, w.profile_id))`),
  )
}

/** Which of these addresses somebody still has, by their places. */
export async function listShared(tx: Tx, addresses: readonly Located[]): Promise<ReadonlySet<number>> {
  const rows = await tx.query<{ n: number }>(
    prepared(sql`
    select w.n::int as n from unnest(
      ${int4Array(addresses.map(({ bucket }) => bucket))}::int4[], ${int4Array(addresses.map(({ workspace_id }) => workspace_id))}::int4[],
      ${textArray(addresses.map(({ kind }) => kind))}::text[], ${textArray(addresses.map(({ value }) => value))}::text[])
      with ordinality w(bucket, workspace_id, kind, value, n)
    where exists (
      select 1 from contact c
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value)`),
  )
  return new Set(rows.map(({ n }) => n - 1))
}

/** How somebody is named in orders, and from now on; undefined when they are gone. */
export type Naming = Pick<Asked, 'workspace_id' | 'asked'> & { readonly becomes?: object | undefined }

/** The same of somebody who is named by an identifier. */
export type Renamed = Asked & Naming

/** Members of a `Recipient` that say who it is. */
const names = ['external_user_id', 'user_alias', 'email', 'prioritization', 'service_id', 'profile_id']

/**
 * Gives people other names in every order to send, or takes them out of it. A list that becomes empty stays: it means nobody.
 */
export async function renameRecipients(tx: Tx, renamed: readonly Naming[]): Promise<void> {
  const places = int4Array(renamed.map(({ workspace_id }) => workspace_id))
  await tx.query(
    prepared(sql`
    update dispatch d set sending = jsonb_set(d.sending, '{recipients}', coalesce((
      select jsonb_agg(
        case when w.asked is null then r.value else r.value - ${textArray(names)}::text[] || w.becomes end order by r.ordinality)
      from jsonb_array_elements(d.sending -> 'recipients') with ordinality r
      left join unnest(${places}::int4[], ${jsonbArray(renamed.map(({ asked }) => JSON.stringify(asked)))}::jsonb[],
        ${jsonbArray(renamed.map(({ becomes }) => (becomes ? JSON.stringify(becomes) : null)))}::jsonb[])
        w(workspace_id, asked, becomes) on w.workspace_id = d.workspace_id and r.value @> w.asked
      where w.asked is null or w.becomes is not null), '[]'))
    where d.dispatch_id in (
      select o.dispatch_id from unnest(${places}::int4[],
        ${jsonbArray(renamed.map(({ asked }) => JSON.stringify([asked])))}::jsonb[]) w(workspace_id, asked)
      join dispatch o on o.workspace_id = w.workspace_id and o.sending -> 'recipients' @> w.asked)`),
  )
}
