import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import type { Json } from '../values/values.ts'

/** A new value of a watched attribute from a moment (epoch microseconds) on; undefined if it was removed. */
export type ChangedAttribute = {
  readonly person: Person
  readonly workspace_id: number
  readonly name: string
  readonly value: Json | undefined
  readonly stampUs: number
}

/** Stores changes of watched attributes. */
export async function insertAttributeChanges(tx: Tx, rows: readonly ChangedAttribute[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`
    insert into attribute_change (profile_id, time, bucket, workspace_id, name, value)
    select * from unnest(
      ${int8Array(rows.map((row) => row.person.key))}::int8[], ${timestampArray(rows.map((row) => row.stampUs))}::timestamptz[],
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int4Array(rows.map((row) => row.workspace_id))}::int4[],
      ${textArray(rows.map((row) => row.name))}::text[],
      ${jsonbArray(rows.map(({ value }) => (value === undefined ? null : JSON.stringify(value))))}::jsonb[])
      v(profile_id, time, bucket, workspace_id, name, value)
    order by bucket, profile_id`)
}

/** How long changes are kept: 90 days. */
export const changesKeptMs = 90 * 86_400_000

/** A stored change: the value of an attribute from `time` on; null if it was removed. */
export type KeptChange = { name: string; time: Date; value: Json | null }

/**
 * Returns for each attribute the last change until each of these moments (epoch milliseconds), and the first stored change. From these
 * follow the value at the moment, and whether the attribute has changed since changes are stored.
 */
export function listAttributesAt(
  tx: Tx,
  { bucket, profile_id }: Person,
  names: readonly string[],
  momentsMs: readonly number[],
): Promise<KeptChange[]> {
  return tx.query<KeptChange>(sql`
    with n as materialized (select * from unnest(${textArray(names)}::text[]) n(name))
    select n.name, f.time, f.value from n
    cross join unnest(${timestampArray(momentsMs.map((ms) => Math.round(ms * 1000)))}::timestamptz[]) m(at)
    cross join lateral (
      select c.time, c.value from attribute_change c
      where c.bucket = ${bucket} and c.profile_id = ${profile_id}::int8 and c.name = n.name and c.time <= m.at
      order by c.time desc limit 1) f
    union
    select n.name, f.time, f.value from n
    cross join lateral (
      select c.time, c.value from attribute_change c
      where c.bucket = ${bucket} and c.profile_id = ${profile_id}::int8 and c.name = n.name order by c.time limit 1) f
    order by time`)
}
