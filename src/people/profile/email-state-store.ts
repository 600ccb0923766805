import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { insertEvents } from '../feed/write-store.ts'
import { byBucketAndId, type Person } from '../identity/person.ts'
import type { SubscribeState } from './standard.ts'

/** A subscription state that a person inherits from an e-mail address. */
export type InheritedState = { person: Person; email: string; state: SubscribeState; stampUs: number }

/** A person whose state was written, and the state before. */
export type ChangedState = Omit<InheritedState, 'email'> & { workspace_id: number; previous: SubscribeState }

type ChangedRow = { n: number; workspace_id: number; previous: SubscribeState }

/**
 * Gives people the state of their address and returns those that changed. A person who meanwhile has another address, or has a later state,
 * keeps the old state. Locks people in lock order.
 */
export async function updateEmailStates(tx: Tx, states: readonly InheritedState[]): Promise<ChangedState[]> {
  if (states.length === 0) return []
  const rows = states.toSorted(byBucketAndId)
  const peopleOf = (each: readonly InheritedState[]) => sql`
      ${int4Array(each.map(({ person }) => person.bucket))}::int4[], ${int8Array(each.map(({ person }) => person.key))}::int8[]`
  const changed = await byShardWithItems<ChangedRow, InheritedState>(tx, rows, (part) => {
    const people = peopleOf(part.items)
    return prepared(sql`
    with held as materialized (
      select o.bucket, o.profile_id, o.email_subscribe from unnest(${people}) v(bucket, profile_id)
      join profile o on o.bucket = v.bucket and o.profile_id = v.profile_id where true ${withinPart(part, 'o')} for no key update of o)
    update profile p set email_subscribe = w.state, email_subscribe_at = w.stamp,
      email_opted_in_at = case w.state when 'opted_in' then w.stamp else p.email_opted_in_at end,
      email_unsubscribed_at = case w.state when 'unsubscribed' then w.stamp else p.email_unsubscribed_at end
    from unnest(${people},
      ${textArray(part.items.map((each) => each.email))}::text[], ${textArray(part.items.map((each) => each.state))}::text[],
      ${timestampArray(part.items.map((each) => each.stampUs))}::timestamptz[])
      with ordinality w(bucket, profile_id, email, state, stamp, n)
      join held h on h.bucket = w.bucket and h.profile_id = w.profile_id
    where p.bucket = w.bucket and p.profile_id = w.profile_id and p.email = w.email ${withinPart(part, 'p')}
      and (p.email_subscribe_at is null or p.email_subscribe_at < w.stamp)
    returning w.n::int as n, p.workspace_id, h.email_subscribe as previous`)
  })
  return changed.map(({ row: { workspace_id, previous }, item: { person, state, stampUs } }) => {
    return { person, workspace_id, state, previous, stampUs }
  })
}

/**
 * Sets the subscription state of a person who has no e-mail address, with the event of the change. The new stamp is after the stored one.
 */
export async function updateEmailState(tx: Tx, person: Person, state: SubscribeState, stampUs: number): Promise<void> {
  const { bucket, key } = person
  const [before] = await tx.query<{ workspace_id: number; state: SubscribeState; stamp_us: string | null }>(sql`
    select p.workspace_id, p.email_subscribe as state, (extract(epoch from p.email_subscribe_at) * 1000000)::int8 as stamp_us
    from profile p where p.bucket = ${bucket} and p.profile_id = ${key} and p.merged_into is null for no key update of p`)
  if (!before) return
  const laterUs = Math.max(stampUs, Number(before.stamp_us ?? 0) + 1)
  const stamp = timestampFromUs(laterUs)
  await tx.query(sql`
    update profile p set email_subscribe = ${state}, email_subscribe_at = ${stamp},
      email_opted_in_at = case when ${state} = 'opted_in' then ${stamp} else p.email_opted_in_at end,
      email_unsubscribed_at = case when ${state} = 'unsubscribed' then ${stamp} else p.email_unsubscribed_at end
    where p.bucket = ${bucket} and p.profile_id = ${key}`)
  if (before.state === state) return
  const { workspace_id } = before
  const event = { workspace_id, person, key: `${person.profile_id}:email:${laterUs}`, stampUs: laterUs }
  await insertEvents(tx, [{ type: 'subscription.changed', ...event, details: { channel: 'email', state } }])
}

/**
 * Sets the time at which people marked mail as spam; null removes it. Locks people in lock order. Returns how many were found: the others
 * were merged or deleted.
 */
export async function updateSpamMarks(tx: Tx, people: readonly Person[], stampUs: number | null): Promise<number> {
  if (people.length === 0) return 0
  const rows = people.map((person) => ({ person })).sort(byBucketAndId)
  const updated = await byShard<unknown, (typeof rows)[number]>(tx, rows, (part) =>
    prepared(sql`
    update profile p set marked_email_as_spam_at = w.at
    from unnest(${int4Array(part.items.map(({ person }) => person.bucket))}::int4[],
      ${int8Array(part.items.map(({ person }) => person.key))}::int8[],
      ${timestampArray(part.items.map(() => stampUs))}::timestamptz[]) w(bucket, profile_id, at)
    where p.bucket = w.bucket and p.profile_id = w.profile_id and p.merged_into is null ${withinPart(part, 'p')} returning p.bucket`),
  )
  return updated.length
}
