import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import type { Json } from '../values/values.ts'

/** A watched attribute has another value from a moment on (epoch microseconds); undefined when it was removed. */
export type ChangedAttribute = {
  readonly person: Person
  readonly workspace_id: number
  readonly name: string
  readonly value: Json | undefined
  readonly stampUs: number
}

/** Keeps changes of watched attributes. */
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

/** How long changes are kept. */
export const changesKeptMs = 90 * 86_400_000

/** A kept change: the value that an attribute had from `time` on; null when it was removed. */
export type KeptChange = { name: string; time: Date; value: Json | null }

/**
 * Of each attribute the last change until each moment (epoch milliseconds), and the first one of all: what an attribute was then, and
 * whether it has changed at all since changes are kept.
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
