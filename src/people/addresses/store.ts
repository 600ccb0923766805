import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { ContactRow } from '../identity/contact-store.ts'
import { byBucketAndId, type Person, person } from '../identity/person.ts'
import type { SubscribeState } from '../profile/standard.ts'

/** An e-mail address in its bucket; `hidden` is its keyed hash (`HashAddress`), under which its own state is kept. */
type Address = { bucket: number; workspace_id: number; email: string; hidden: string }

/** What was said of an address itself, as opposed to one of its groups: the state of group 0. */
export type Said = Address & { state: SubscribeState; stampUs: number }

/** Keeps what was said of addresses, in key order. Who writes later wins, so the stamps that come back may be later ones. */
export async function upsertSaid(tx: Tx, said: readonly Said[]): Promise<Said[]> {
  const rows = await tx.query<{ value: string; stamp_us: string }>(sql`
    insert into address_state as a (bucket, workspace_id, kind, value, group_id, state, stamp)
    select w.bucket, w.workspace_id, 'email', w.value, 0, w.state, w.stamp from unnest(
      ${int4Array(said.map((each) => each.bucket))}::int4[], ${int4Array(said.map((each) => each.workspace_id))}::int4[],
      ${textArray(said.map((each) => each.hidden))}::text[], ${textArray(said.map((each) => each.state))}::text[],
      ${timestampArray(said.map((each) => each.stampUs))}::timestamptz[]) w(bucket, workspace_id, value, state, stamp)
    on conflict (bucket, workspace_id, kind, value, group_id) do update
      set state = excluded.state, stamp = greatest(excluded.stamp, a.stamp + interval '1 microsecond')
    returning a.value, ${microseconds(sql`a.stamp`)} as stamp_us`)
  const stamps = new Map(rows.map((row) => [row.value, Number(row.stamp_us)]))
  return said.map((each) => ({ ...each, stampUs: stamps.get(each.hidden)! }))
}

/** Somebody who has an address: `n` counts the addresses from 1; `saidUs` is the stamp of the person's own state, epoch microseconds. */
export type Owner = { n: number; person: Person; saidUs: number | undefined }

/**
 * The next people, at most `limit`, who have the addresses, in the order of addresses and people. Of the first address those after
 * `after`.
 */
export async function listOwners(
  tx: Tx,
  said: readonly Said[],
  after: Person | undefined,
  limit: number,
): Promise<Owner[]> {
  const [bucket, id] = after ? [after.bucket, after.key] : [-1, 0n]
  const rows = await tx.query<{ n: number; owner_bucket: number; owner_id: string; said_us: string | null }>(
    prepared(sql`
    select o.n::int as n, o.owner_bucket, o.owner_id, ${microseconds(sql`p.email_subscribe_at`)} as said_us
    from (
      select w.n, c.owner_bucket, c.owner_id
      from unnest(
        ${int4Array(said.map((each) => each.bucket))}::int4[], ${int4Array(said.map((each) => each.workspace_id))}::int4[],
        ${textArray(said.map((each) => each.email))}::text[], ${int4Array(said.map((_, i) => (i === 0 ? bucket : -1)))}::int4[],
        ${int8Array(said.map((_, i) => (i === 0 ? id : 0n)))}::int8[]
      ) with ordinality w(bucket, workspace_id, email, after_bucket, after_id, n)
      cross join lateral (
        select c.owner_bucket, c.owner_id from contact c
        where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = 'email' and c.value = w.email
          and (c.owner_bucket, c.owner_id) > (w.after_bucket, w.after_id)
        order by c.owner_bucket, c.owner_id limit ${limit}) c
      order by w.n, c.owner_bucket, c.owner_id limit ${limit}) o
    left join profile p on p.bucket = o.owner_bucket and p.profile_id = o.owner_id
    order by o.n, o.owner_bucket, o.owner_id`),
  )
  return rows.map(({ n, owner_bucket, owner_id, said_us }) => ({
    n,
    person: person(owner_bucket, owner_id),
    saidUs: said_us === null ? undefined : Number(said_us),
  }))
}

/** Somebody who has come to an address and has said nothing of it. */
export type Arrival = ContactRow & { hidden: string }

/** What a person's address tells of the person. */
export type Told = { person: Person; email: string; state: SubscribeState; stampUs: number }

/** What is remembered of the addresses that people have come to; nothing for most of them. */
export async function listRemembered(tx: Tx, arrivals: readonly Arrival[]): Promise<Told[]> {
  if (arrivals.length === 0) return []
  const rows = await tx.query<{ n: number; state: SubscribeState; stamp_us: string }>(
    prepared(sql`
    select w.n::int as n, a.state, ${microseconds(sql`a.stamp`)} as stamp_us
    from unnest(
      ${int4Array(arrivals.map((each) => each.bucket))}::int4[], ${int4Array(arrivals.map((each) => each.workspace_id))}::int4[],
      ${textArray(arrivals.map((each) => each.hidden))}::text[]) with ordinality w(bucket, workspace_id, value, n)
    join address_state a on a.bucket = w.bucket and a.workspace_id = w.workspace_id and a.kind = 'email' and a.value = w.value
      and a.group_id = 0`),
  )
  return rows.map(({ n, state, stamp_us }) => {
    const { owner, value } = arrivals[n - 1]!
    return { person: owner, email: value, state, stampUs: Number(stamp_us) }
  })
}

/**
 * Gives people the state of their address, unless they have left it or a later stamp says otherwise; locks in the one order. Flows that ask
 * for it hear of it.
 */
export async function updateStates(tx: Tx, told: readonly Told[]): Promise<void> {
  if (told.length === 0) return
  const rows = told.toSorted(byBucketAndId)
  await tx.query(sql`
    with told as (
    update profile p set email_subscribe = w.state, email_subscribe_at = w.stamp,
      email_opted_in_at = case w.state when 'opted_in' then w.stamp else p.email_opted_in_at end,
      email_unsubscribed_at = case w.state when 'unsubscribed' then w.stamp else p.email_unsubscribed_at end
    from unnest(
      ${int4Array(rows.map((each) => each.person.bucket))}::int4[], ${int8Array(rows.map((each) => each.person.key))}::int8[],
      ${textArray(rows.map((each) => each.email))}::text[], ${textArray(rows.map((each) => each.state))}::text[],
      ${timestampArray(rows.map((each) => each.stampUs))}::timestamptz[]) w(bucket, profile_id, email, state, stamp)
    where p.bucket = w.bucket and p.profile_id = w.profile_id and p.email = w.email
      and (p.email_subscribe_at is null or p.email_subscribe_at < w.stamp)
    returning p.bucket, p.profile_id, p.workspace_id, w.state, w.stamp),
    heard as materialized (
      select t.*, k.signals from told t join watched k
        on k.workspace_id = t.workspace_id and k.kind = 'attribute' and k.name = 'email_subscribe'),
    kept as (
      insert into attribute_change (bucket, profile_id, time, workspace_id, name, value)
      select bucket, profile_id, stamp, workspace_id, 'email_subscribe', to_jsonb(state) from heard)
    insert into signal (bucket, profile_id, signal_id, workspace_id, lane, kind, name, time, at)
    select bucket, profile_id, profile_id, workspace_id, (bucket / 256)::int2, 'attribute', 'email_subscribe', stamp, stamp
    from heard where signals on conflict do nothing`)
}

function microseconds(moment: Sql): Sql {
  return sql`(extract(epoch from ${moment}) * 1000000)::int8`
}

/**
 * Gives people the time at which they marked mail as spam, or takes it away; in lock order. Answers how many of them were there: the
 * others have been merged away or deleted.
 */
export async function updateSpamMarks(tx: Tx, people: readonly Person[], stampUs: number | null): Promise<number> {
  if (people.length === 0) return 0
  const rows = people.map((person) => ({ person })).sort(byBucketAndId)
  const updated = await tx.query(
    prepared(sql`
    update profile p set marked_email_as_spam_at = w.at
    from unnest(${int4Array(rows.map(({ person }) => person.bucket))}::int4[],
      ${int8Array(rows.map(({ person }) => person.key))}::int8[],
      ${timestampArray(rows.map(() => stampUs))}::timestamptz[]) w(bucket, profile_id, at)
    where p.bucket = w.bucket and p.profile_id = w.profile_id and p.merged_into is null returning p.bucket`),
  )
  return updated.length
}
