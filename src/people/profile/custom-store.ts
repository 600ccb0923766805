import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import type { CustomState } from './fold.ts'

/** The plain changes of one person: values to set as JSON text, and keys to remove as an array literal or null. */
export type PlainDelta = {
  person: Person
  custom: string
  typed: string
  removed: string | null
  /** Keys whose stored date is no longer valid. */
  untyped: string | null
  stampUs: number
}

/**
 * Bytes of stored attributes, with those that are added, up to which a profile is surely smaller than its limit (`size-limit.ts`), unless
 * it has wide values (`values.ts`): then it may have twice the limit.
 */
const plainBytesMax = 524_288
/** The same for stored attributes that are compressed: at most 90 times. */
const plainCompressedBytesMax = 8_192

/** Whether the attributes of a profile `p` are not large, with those that `v` adds. */
const isSmall = sql`pg_column_size(p.custom) + pg_column_size(v.custom) <= case when pg_column_compression(p.custom) is null
        then ${plainBytesMax}::int4 else ${plainCompressedBytesMax}::int4 end`

/**
 * Applies plain changes, sorted by person, to people whose attributes are not large. Returns the ids of those it has changed; undefined
 * when these are all. The others are large, or were merged or deleted.
 */
export async function applyPlainDeltas(tx: Tx, deltas: readonly PlainDelta[]): Promise<Set<string> | undefined> {
  if (tx.placement !== undefined) return applyByShard(tx, deltas)
  const [row] = await tx.query<{ ids: string[] | null; all: boolean }>(
    prepared(sql`
    with written as (
    update profile p set ${changed}
    from ${deltaRows(deltas, raw(''))}
    where p.bucket = v.bucket and p.profile_id = v.profile_id and p.merged_into is null
      and ${isSmall}
    returning p.profile_id)
    select count(*) = ${deltas.length}::int4 as all,
      case when count(*) < ${deltas.length}::int4 then array_agg(profile_id) end as ids from written`),
  )
  return row!.all ? undefined : new Set(row!.ids)
}

/** Does the same in two steps, because the functions that tell the size are not immutable, and Citus refuses such ones in an update. */
async function applyByShard(tx: Tx, deltas: readonly PlainDelta[]): Promise<Set<string> | undefined> {
  const small = await byShard<{ profile_id: string }, PlainDelta>(tx, deltas, (part) =>
    prepared(sql`
    select p.profile_id from unnest(${int4Array(part.items.map((delta) => delta.person.bucket))}::int4[],
      ${int8Array(part.items.map((delta) => delta.person.key))}::int8[],
      ${jsonbArray(part.items.map((delta) => delta.custom))}::jsonb[]) v(bucket, profile_id, custom)
    join profile p on p.bucket = v.bucket and p.profile_id = v.profile_id
    where p.merged_into is null and ${isSmall} ${withinPart(part, 'p')}
    order by p.bucket, p.profile_id for no key update of p`),
  )
  const ids = new Set(small.map(({ profile_id }) => profile_id))
  const chosen = deltas.filter(({ person }) => ids.has(person.profile_id))
  await byShard<unknown, PlainDelta>(tx, chosen, (part) =>
    prepared(sql`
    update profile p set ${changed}
    from ${deltaRows(part.items, raw('::text[]'))}
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
  return chosen.length === deltas.length ? undefined : ids
}

const changed = sql`
      custom = case when v.removed is null then p.custom || v.custom else (p.custom || v.custom) - v.removed::text[] end,
      typed = case when v.untyped is null or not p.typed ?| v.untyped::text[] then p.typed || v.typed
        else (p.typed - v.untyped::text[]) || v.typed end,
      updated_at = greatest(p.updated_at, v.stamp)`

/** Returns the changes as rows `v`. With `asList` the lists of keys become arrays here: Citus refuses such a cast in an update. */
function deltaRows(deltas: readonly PlainDelta[], asList: Sql): Sql {
  return sql`(
      select unnest(${int4Array(deltas.map((delta) => delta.person.bucket))}::int4[]) as bucket,
        unnest(${int8Array(deltas.map((delta) => delta.person.key))}::int8[]) as profile_id,
        unnest(${jsonbArray(deltas.map((delta) => delta.custom))}::jsonb[]) as custom,
        unnest(${jsonbArray(deltas.map((delta) => delta.typed))}::jsonb[]) as typed,
        unnest(${textArray(deltas.map((delta) => delta.removed))}::text[])${asList} as removed,
        unnest(${textArray(deltas.map((delta) => delta.untyped))}::text[])${asList} as untyped,
        unnest(${timestampArray(deltas.map((delta) => delta.stampUs))}::timestamptz[]) as stamp) v`
}

export type CustomRow = CustomState & { profile_id: string }

/** Locks people in lock order and loads their custom attributes. */
export async function lockCustom(tx: Tx, people: readonly Person[]): Promise<CustomRow[]> {
  return byShard<CustomRow, Person>(tx, people, (part) =>
    prepared(sql`
    select p.profile_id, p.custom, p.typed from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id for no key update of p`),
  )
}

/** The custom attributes of a person as JSON texts. */
export type SavedCustom = { person: Person; custom: string; typed: string; stampUs: number }

export async function saveCustom(tx: Tx, saved: readonly SavedCustom[]): Promise<void> {
  if (saved.length === 0) return
  await byShard<unknown, SavedCustom>(tx, saved, (part) =>
    prepared(sql`
    update profile p set custom = v.custom, typed = v.typed, updated_at = greatest(p.updated_at, v.stamp)
    from (
      select unnest(${int4Array(part.items.map((each) => each.person.bucket))}::int4[]) as bucket,
        unnest(${int8Array(part.items.map((each) => each.person.key))}::int8[]) as profile_id,
        unnest(${jsonbArray(part.items.map((each) => each.custom))}::jsonb[]) as custom,
        unnest(${jsonbArray(part.items.map((each) => each.typed))}::jsonb[]) as typed,
        unnest(${timestampArray(part.items.map((each) => each.stampUs))}::timestamptz[]) as stamp) v
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
}

/** Custom attributes to add to existing people, as JSON texts. Attributes they have keep their values. */
export type MoreCustom = { person: Person; custom: string; typed: string }

export async function addCustom(tx: Tx, rows: readonly MoreCustom[]): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, MoreCustom>(tx, rows, (part) =>
    prepared(sql`
    update profile p set custom = v.custom || p.custom,
      typed = (v.typed - array(select jsonb_object_keys(p.custom))) || p.typed
    from unnest(
      ${int4Array(part.items.map(({ person }) => person.bucket))}::int4[], ${int8Array(part.items.map(({ person }) => person.key))}::int8[],
      ${jsonbArray(part.items.map(({ custom }) => custom))}::jsonb[], ${jsonbArray(part.items.map(({ typed }) => typed))}::jsonb[]
    ) v(bucket, profile_id, custom, typed)
    where p.bucket = v.bucket and p.profile_id = v.profile_id and p.merged_into is null ${withinPart(part, 'p')}`),
  )
}
