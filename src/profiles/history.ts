import { float8Array, int4Array, int8Array, textArray, timestampArray } from '../base/db/arrays.ts'
import type { Tx } from '../base/db/db.ts'
import { prepared, sql } from '../base/db/sql.ts'
import type { Person } from './ref.ts'
import { peopleOf } from './store.ts'

/** Columns of rows to append, one array per column: what goes into the statement as it is. */
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
 * Each accepted event is one row of its own; equal ones stay separate (specification 4.1 rule 7). In the order of the index, which
 * costs the database an eighth less.
 */
export async function appendEvents(tx: Tx, rows: EventColumns): Promise<void> {
  if (rows.bucket.length === 0) return
  await tx.query(sql`
    insert into event (profile_id, time, bucket, name_id, app_id, properties)
    select * from unnest(
      ${int8Array(rows.profile)}::int8[], ${timestampArray(rows.timeUs)}::timestamptz[], ${int4Array(rows.bucket)}::int4[],
      ${int4Array(rows.name)}::int4[], ${int4Array(rows.app)}::int4[], ${textArray(rows.properties)}::text[])
      v(profile_id, time, bucket, name_id, app_id, properties)
    order by bucket, profile_id`)
}

export async function appendPurchases(tx: Tx, rows: PurchaseColumns): Promise<void> {
  if (rows.bucket.length === 0) return
  await tx.query(sql`
    insert into purchase (profile_id, time, price, bucket, name_id, app_id, quantity, currency, properties)
    select * from unnest(
      ${int8Array(rows.profile)}::int8[], ${timestampArray(rows.timeUs)}::timestamptz[], ${float8Array(rows.price)}::float8[],
      ${int4Array(rows.bucket)}::int4[], ${int4Array(rows.name)}::int4[], ${int4Array(rows.app)}::int4[],
      ${int4Array(rows.quantity)}::int4[], ${textArray(rows.currency)}::text[], ${textArray(rows.properties)}::text[])
      v(profile_id, time, price, bucket, name_id, app_id, quantity, currency, properties)
    order by bucket, profile_id`)
}

/** How often, first and last a person did one thing since a moment. */
export type Summary = { profile_id: string; name_id: number; first: Date; last: Date; count: number }

/** Both are read from the covering index alone; there is no rollup. `sinceUs` is epoch microseconds. */
export async function summarizeEvents(tx: Tx, people: readonly Person[], sinceUs: number): Promise<Summary[]> {
  return tx.query<Summary>(
    prepared(sql`
    select e.profile_id, e.name_id, min(e.time) as first, max(e.time) as last, count(*)::int as count
    from ${peopleOf(people)} w(bucket, profile_id)
    join event e on e.bucket = w.bucket and e.profile_id = w.profile_id
    where e.time > (${timestampArray([sinceUs])}::timestamptz[])[1]
    group by e.profile_id, e.name_id order by min(e.time), e.name_id`),
  )
}

/** A quantity of n counts as n purchases (contract 2.2.5). */
export async function summarizePurchases(tx: Tx, people: readonly Person[], sinceUs: number): Promise<Summary[]> {
  return tx.query<Summary>(
    prepared(sql`
    select e.profile_id, e.name_id, min(e.time) as first, max(e.time) as last, sum(e.quantity)::int as count
    from ${peopleOf(people)} w(bucket, profile_id)
    join purchase e on e.bucket = w.bucket and e.profile_id = w.profile_id
    where e.time > (${timestampArray([sinceUs])}::timestamptz[])[1]
    group by e.profile_id, e.name_id order by min(e.time), e.name_id`),
  )
}
