import { float8Array, int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import { isoInstant } from '../../base/db/column-types.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { type Person, person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'

/** Rows to append, as one array per column, as the statement needs them. */
export type EventColumns = {
  bucket: number[]
  profile: bigint[]
  name: number[]
  app: (number | null)[]
  timeUs: number[]
  properties: (string | null)[]
}

export type PurchaseColumns = EventColumns & { price: number[]; currency: string[]; quantity: number[] }

export function emptyEvents(): EventColumns {
  return { bucket: [], profile: [], name: [], app: [], timeUs: [], properties: [] }
}

export function emptyPurchases(): PurchaseColumns {
  return { ...emptyEvents(), price: [], currency: [], quantity: [] }
}

/**
 * Appends events. Each accepted event is a row of its own, equal ones too (specification 4.1 rule 7). The rows are inserted in index order,
 * which takes the database an eighth less time.
 */
export async function appendEvents(tx: Tx, rows: EventColumns): Promise<void> {
  if (rows.bucket.length === 0) return
  await tx.query(sql`
    insert into event (profile_id, time, bucket, name_id, app_id, properties)
    select unnest(${int8Array(rows.profile)}::int8[]) as profile_id, unnest(${timestampArray(rows.timeUs)}::timestamptz[]),
      unnest(${int4Array(rows.bucket)}::int4[]) as bucket, unnest(${int4Array(rows.name)}::int4[]),
      unnest(${int4Array(rows.app)}::int4[]), unnest(${textArray(rows.properties)}::text[])
    order by bucket, profile_id`)
}

export async function appendPurchases(tx: Tx, rows: PurchaseColumns): Promise<void> {
  if (rows.bucket.length === 0) return
  await tx.query(sql`
    insert into purchase (profile_id, time, price, bucket, name_id, app_id, quantity, currency, properties)
    select unnest(${int8Array(rows.profile)}::int8[]) as profile_id, unnest(${timestampArray(rows.timeUs)}::timestamptz[]),
      unnest(${float8Array(rows.price)}::float8[]), unnest(${int4Array(rows.bucket)}::int4[]) as bucket,
      unnest(${int4Array(rows.name)}::int4[]), unnest(${int4Array(rows.app)}::int4[]), unnest(${int4Array(rows.quantity)}::int4[]),
      unnest(${textArray(rows.currency)}::text[]), unnest(${textArray(rows.properties)}::text[])
    order by bucket, profile_id`)
}

/** How often an event or purchase of a person happened since a moment, and when first and last (ISO 8601). */
export type HistorySummary = { name_id: number; first: string; last: string; count: number }

/**
 * Returns SQL for the ids under which history of these people is stored: their own, and those of merged profiles whose history is not moved
 * yet.
 */
export function historySources(people: readonly Person[]): Sql {
  return sql`
    with given as materialized (select * from ${personRows(people)} w(bucket, profile_id)),
    sources as materialized (
      select bucket, profile_id, profile_id as owner_id from given
      union all
      select a.from_bucket, a.from_id, a.profile_id
      from given w join merged_profile a on a.bucket = w.bucket and a.profile_id = w.profile_id where not a.moved)`
}

/** An id under which history is stored, and the person whose history it is. */
type HistorySource = Person & { readonly owner_id: string }

/**
 * Runs a statement about the history of people. It begins with `sources`, rows of bucket, profile_id and owner_id. Where there are shards,
 * the ids are read first, because the history of a merged profile may be on another shard than its person.
 */
export async function byHistorySource<Row>(
  tx: Tx,
  people: readonly Person[],
  statementOf: (sources: Sql, part: ShardPart<HistorySource>) => Sql,
): Promise<Row[]> {
  if (tx.placement === undefined) return tx.query<Row>(statementOf(historySources(people), { items: [] }))
  const merged = await listUnmoved(tx, people)
  const sources = [...people.map((each) => ({ ...each, owner_id: each.profile_id })), ...merged]
  return byShard<Row, HistorySource>(tx, sources, (part) => statementOf(givenSources(part.items), part))
}

function givenSources(sources: readonly HistorySource[]): Sql {
  return sql`
    with sources as materialized (
      select * from unnest(${int4Array(sources.map(({ bucket }) => bucket))}::int4[], ${int8Array(sources.map(({ key }) => key))}::int8[],
        ${int8Array(sources.map(({ owner_id }) => owner_id))}::int8[]) w(bucket, profile_id, owner_id))`
}

/** Returns the merged profiles of people whose history is not moved yet. */
async function listUnmoved(tx: Tx, people: readonly Person[]): Promise<HistorySource[]> {
  const rows = await byShard<{ from_bucket: number; from_id: string; owner_id: string }, Person>(tx, people, (part) =>
    prepared(sql`
    select a.from_bucket, a.from_id, a.profile_id as owner_id from ${personRows(part.items)} w(bucket, profile_id)
    join merged_profile a on a.bucket = w.bucket and a.profile_id = w.profile_id where not a.moved ${withinPart(part, 'a')}`),
  )
  return rows.map(({ from_bucket, from_id, owner_id }) => ({ ...person(from_bucket, from_id), owner_id }))
}

/** Returns the events of people since a moment (epoch microseconds), by profile_id and in the order of the first time. */
export function summarizeEvents(
  tx: Tx,
  people: readonly Person[],
  sinceUs: number,
): Promise<Map<string, HistorySummary[]>> {
  return summarize(tx, people, sinceUs, { table: 'event', count: 'count(*)' })
}

/** Returns the purchases of people in the same way. A quantity of n counts as n purchases (contract 2.2.5). */
export function summarizePurchases(
  tx: Tx,
  people: readonly Person[],
  sinceUs: number,
): Promise<Map<string, HistorySummary[]>> {
  return summarize(tx, people, sinceUs, { table: 'purchase', count: 'sum(e.quantity)' })
}

/**
 * Reads only the covering index; there is no rollup. Each person is read separately, because the index then returns rows that are already
 * grouped. This takes half the time of grouping all rows.
 */
async function summarize(
  tx: Tx,
  people: readonly Person[],
  sinceUs: number,
  { table, count }: { table: 'event' | 'purchase'; count: string },
): Promise<Map<string, HistorySummary[]>> {
  const rows = await byHistorySource<SummaryRow>(tx, people, (sources, part) =>
    prepared(sql`${sources}
    select s.owner_id as profile_id, h.name_id, h.first::text, h.last::text, h.count from sources s cross join lateral (
      select e.name_id, min(e.time) as first, max(e.time) as last, ${raw(count)}::int as count from ${raw(table)} e
      where e.bucket = s.bucket and e.profile_id = s.profile_id and e.time > ${timestampFromUs(sinceUs)} ${withinPart(part, 'e')}
      group by e.name_id) h
    order by h.first, h.name_id`),
  )
  // The order of the rows holds inside one shard only.
  if (tx.placement !== undefined) rows.sort(byFirst)
  return combineSummaries(rows)
}

type SummaryRow = HistorySummary & { profile_id: string }

function byFirst(one: SummaryRow, other: SummaryRow): number {
  return Date.parse(one.first) - Date.parse(other.first) || one.name_id - other.name_id
}

/** Combines the summaries of one person and name that come from several ids. */
function combineSummaries(rows: readonly SummaryRow[]): Map<string, HistorySummary[]> {
  const people = new Map<string, Map<number, HistorySummary>>()
  for (const { profile_id, name_id, first, last, count } of rows) {
    const summaries = people.getOrInsertComputed(profile_id, () => new Map())
    const before = summaries.get(name_id)
    if (!before) summaries.set(name_id, { name_id, first: isoInstant(first), last: isoInstant(last), count })
    else summaries.set(name_id, { ...before, last: later(before.last, isoInstant(last)), count: before.count + count })
  }
  return new Map([...people].map(([profile_id, summaries]) => [profile_id, [...summaries.values()]]))
}

function later(a: string, b: string): string {
  return Date.parse(a) < Date.parse(b) ? b : a
}
