import { int4Array, int8Array, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { type Person, person } from '../../people/identity/person.ts'
import { personRows } from '../../people/identity/person-store.ts'

/**
 * Who these people are by now, by the id that was asked for; those who were deleted are missing.
 */
export async function findOwners(
  tx: Tx,
  rows: readonly { bucket: number; profile_id: string }[],
): Promise<Map<string, Person>> {
  const people = new Map(rows.map(({ bucket, profile_id }) => [profile_id, person(bucket, profile_id)]))
  const found = await tx.query<{ asked: string; bucket: number; profile_id: string }>(
    prepared(sql`
    select p.profile_id as asked, o.bucket, o.profile_id from ${personRows([...people.values()])} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    join profile o on o.bucket = coalesce(p.merged_bucket, p.bucket) and o.profile_id = coalesce(p.merged_into, p.profile_id)
    where o.merged_into is null`),
  )
  return new Map(found.map((row) => [row.asked, person(row.bucket, row.profile_id)]))
}

/** A flow that may have listeners: those that people may enter, paused ones too. */
export type ListeningFlow = { flow_id: number; workspace_id: number; version: number }

export function listListeningFlows(tx: Tx): Promise<ListeningFlow[]> {
  return tx.query<ListeningFlow>(sql`
    select flow_id, workspace_id, version from flow where state in ('active', 'paused') and deleted_at is null order by flow_id`)
}

/** An entry that has not ended, as far as it matters whether a signal concerns it. */
export type OpenEntry = {
  bucket: number
  profile_id: string
  entry_id: string
  workspace_id: number
  flow_id: number
  version: number
}

/** The open entries of these people. */
export function listOpenEntriesOf(tx: Tx, people: readonly Person[]): Promise<OpenEntry[]> {
  return tx.query<OpenEntry>(
    prepared(sql`
    select e.bucket, e.profile_id, e.entry_id, e.workspace_id, e.flow_id, e.version from ${personRows(people)} w(bucket, profile_id)
    join entry e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.state <> 'ended'`),
  )
}

/**
 * When each of these people last had a message of a flow before a moment (epoch milliseconds), by the place; those who had none are
 * missing.
 */
export async function listReceivedBefore(
  tx: Tx,
  asked: readonly { readonly person: Person; readonly flow_id: number; readonly timeMs: number }[],
): Promise<Map<number, Date>> {
  if (asked.length === 0) return new Map()
  const rows = await tx.query<{ n: number; at: Date }>(
    prepared(sql`
    select w.n::int as n, max(m.ended_at) as at
    from unnest(${int4Array(asked.map(({ person: { bucket } }) => bucket))}::int4[],
      ${int8Array(asked.map(({ person: { key } }) => key))}::int8[], ${int4Array(asked.map(({ flow_id }) => flow_id))}::int4[],
      ${timestampArray(asked.map(({ timeMs }) => timeMs * 1000))}::timestamptz[]) with ordinality w(bucket, profile_id, flow_id, time, n)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.flow_id = w.flow_id and m.reason = 'sent'
      and m.ended_at <= w.time
    group by w.n`),
  )
  return new Map(rows.map(({ n, at }) => [n - 1, at]))
}
