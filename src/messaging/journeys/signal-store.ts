import { int4Array, int8Array, timestampArray } from '../../base/db/arrays.ts'
import { byShard, byShardWithItems, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { findCurrent } from '../../people/identity/current-store.ts'
import { type Person, person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'

/** Returns the people who have these profiles now, by the given `profile_id`. Deleted people are missing. */
export async function findCurrentPeople(
  tx: Tx,
  profiles: readonly { bucket: number; profile_id: string }[],
): Promise<Map<string, Person>> {
  const people = new Map(profiles.map(({ bucket, profile_id }) => [profile_id, person(bucket, profile_id)]))
  const given = [...people.values()]
  const rows = await (tx.placement === undefined ? joinCurrent(tx, given) : lookCurrentUp(tx, given))
  return new Map(rows.map((row) => [row.given, person(row.bucket, row.profile_id)]))
}

type CurrentRow = { given: string; bucket: number; profile_id: string }

function joinCurrent(tx: Tx, people: readonly Person[]): Promise<CurrentRow[]> {
  return tx.query<CurrentRow>(
    prepared(sql`
    select p.profile_id as given, o.bucket, o.profile_id from ${personRows(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    join profile o on o.bucket = coalesce(p.merged_bucket, p.bucket) and o.profile_id = coalesce(p.merged_into, p.profile_id)
    where o.merged_into is null`),
  )
}

/** Does the same in two steps, because the kept person may be on another shard. */
async function lookCurrentUp(tx: Tx, people: readonly Person[]): Promise<CurrentRow[]> {
  const current = await findCurrent(tx, people)
  const kept = await byShard<{ profile_id: string }, Person>(tx, [...current.values()], (part) =>
    prepared(sql`
    select p.profile_id from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id where p.merged_into is null ${withinPart(part, 'p')}`),
  )
  const ids = new Set(kept.map(({ profile_id }) => profile_id))
  return [...current].filter(([, { profile_id }]) => ids.has(profile_id)).map(([given, each]) => ({ given, ...each }))
}

/** An active or paused flow. */
export type ListeningFlow = { flow_id: number; workspace_id: number; version: number }

export function listListeningFlows(tx: Tx): Promise<ListeningFlow[]> {
  return tx.query<ListeningFlow>(sql`
    select flow_id, workspace_id, version from flow where state in ('active', 'paused') and deleted_at is null order by flow_id`)
}

/** An open entry, with what is needed to decide whether a signal may move it. */
export type OpenEntry = {
  bucket: number
  profile_id: string
  entry_id: string
  workspace_id: number
  flow_id: number
  version: number
}

/** Returns the open entries of these people. */
export function listOpenEntriesOf(tx: Tx, people: readonly Person[]): Promise<OpenEntry[]> {
  return byShard<OpenEntry, Person>(tx, people, (part) =>
    prepared(sql`
    select e.bucket, e.profile_id, e.entry_id, e.workspace_id, e.flow_id, e.version from ${personRows(part.items)} w(bucket, profile_id)
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.state <> 'ended' ${withinPart(part, 'e')}`),
  )
}

/**
 * Returns when each person last received a message of a flow before an instant (epoch milliseconds), by the index in `wanted`. People who
 * received none are missing.
 */
export async function listReceivedBefore(
  tx: Tx,
  wanted: readonly { readonly person: Person; readonly flow_id: number; readonly timeMs: number }[],
): Promise<Map<number, Date>> {
  if (wanted.length === 0) return new Map()
  const found = await byShardWithItems<{ n: number; at: Date }, (typeof wanted)[number]>(tx, wanted, (part) =>
    prepared(sql`
    select w.n::int as n, max(m.ended_at) as at
    from unnest(${int4Array(part.items.map(({ person: { bucket } }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ person: { key } }) => key))}::int8[], ${int4Array(part.items.map(({ flow_id }) => flow_id))}::int4[],
      ${timestampArray(part.items.map(({ timeMs }) => timeMs * 1000))}::timestamptz[])
      with ordinality w(bucket, profile_id, flow_id, time, n)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.flow_id = w.flow_id and m.reason = 'sent'
      and m.ended_at <= w.time
    where true ${withinPart(part, 'm')} group by w.n`),
  )
  return new Map(found.map(({ row, index }) => [index, row.at]))
}
