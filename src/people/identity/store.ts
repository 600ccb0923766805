import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { early, prepared, type Sql, sql } from '../../base/db/sql.ts'
import { byAnyPlan } from '../../base/db/transaction-settings.ts'
import type { CustomState } from '../profile/fold.ts'
import { type Candidate, identityKey } from './directory.ts'
import type { Identifier } from './identifier.ts'
import { type HashAddress, type Located, type Person, person } from './person.ts'

/** People loaded for one address; a more crowded one is answered by `findLatest`. */
export const candidateMax = 64

function places(wanted: readonly Located[]): Sql {
  return sql`unnest(
    ${int4Array(wanted.map((entry) => entry.bucket))}::int4[],
    ${int4Array(wanted.map((entry) => entry.workspace_id))}::int4[],
    ${textArray(wanted.map((entry) => entry.kind))}::text[],
    ${textArray(wanted.map((entry) => entry.value))}::text[])`
}

function keyOf(entry: Omit<Located, 'bucket'>): string {
  return identityKey(entry.workspace_id, entry as Pick<Identifier, 'kind' | 'value'>)
}

/** People as rows of bucket and id. */
export function peopleOf(people: readonly Person[]): Sql {
  return sql`unnest(${int4Array(people.map((each) => each.bucket))}::int4[], ${int8Array(people.map((each) => each.key))}::int8[])`
}

type OwnerRow = { n: number; owner_bucket: number; owner_id: string }

/** Owners of exclusive identifiers, by identity key; those that nobody has are missing. */
export async function findIdentifiers(
  tx: Tx,
  wanted: readonly (Located & { key: string })[],
): Promise<Map<string, Person>> {
  const rows = await tx.query<OwnerRow>(
    early(
      prepared(sql`
    select w.n::int as n, i.owner_bucket, i.owner_id
    from ${places(wanted)} with ordinality w(bucket, workspace_id, kind, value, n)
    join identifier i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.kind = w.kind and i.value = w.value
    where i.owner_id is not null`),
    ),
  )
  return new Map(rows.map((row) => [wanted[row.n - 1]!.key, person(row.owner_bucket, row.owner_id)]))
}

type Owned = Located & { owner: Person }

function owned(wanted: readonly Owned[]): Sql {
  return sql`
    insert into identifier (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select unnest(${int4Array(wanted.map((entry) => entry.bucket))}::int4[]),
      unnest(${int4Array(wanted.map((entry) => entry.workspace_id))}::int4[]),
      unnest(${textArray(wanted.map((entry) => entry.kind))}::text[]),
      unnest(${textArray(wanted.map((entry) => entry.value))}::text[]),
      unnest(${int4Array(wanted.map((entry) => entry.owner.bucket))}::int4[]),
      unnest(${int8Array(wanted.map((entry) => entry.owner.key))}::int8[])`
}

/** Reserves identifiers for people; answers the keys that were free. `wanted` comes in lock order. */
export async function insertIdentifiers(tx: Tx, wanted: readonly (Owned & { key: string })[]): Promise<Set<string>> {
  if (wanted.length === 0) return new Set()
  const rows = await tx.query<Omit<Located, 'bucket'>>(
    prepared(sql`${owned(wanted)} on conflict do nothing returning workspace_id, kind, value`),
  )
  return new Set(rows.map(keyOf))
}

/**
 * The same for identifiers that nobody had a moment ago. Who was quicker fails the transaction, which `untilNobodyDeparts` runs again: so
 * nobody needs to wait for an answer that says which were free.
 */
export async function reserveIdentifiers(tx: Tx, wanted: readonly Owned[]): Promise<void> {
  if (wanted.length > 0) await tx.query(prepared(owned(wanted)))
}

/** Says whose identifiers are; their rows are locked already. */
export async function updateOwners(tx: Tx, given: readonly (Located & { owner: Person })[]): Promise<void> {
  if (given.length === 0) return
  await tx.query(
    prepared(sql`
    update identifier i set owner_bucket = v.owner_bucket, owner_id = v.owner_id
    from unnest(
      ${int4Array(given.map((entry) => entry.bucket))}::int4[], ${int4Array(given.map((entry) => entry.workspace_id))}::int4[],
      ${textArray(given.map((entry) => entry.kind))}::text[], ${textArray(given.map((entry) => entry.value))}::text[],
      ${int4Array(given.map((entry) => entry.owner.bucket))}::int4[], ${int8Array(given.map((entry) => entry.owner.key))}::int8[]
    ) v(bucket, workspace_id, kind, value, owner_bucket, owner_id)
    where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = v.kind and i.value = v.value`),
  )
}

/**
 * Takes the row locks that stand for "nobody has this yet"; held until the transaction ends. The row of an address stays when
 * everybody who had it is gone, so it holds the hash of it.
 */
export async function lockAnchors(tx: Tx, wanted: readonly Located[], hashAddress: HashAddress): Promise<void> {
  const hidden = wanted.map((entry) => {
    const { workspace_id, kind, value } = entry
    return kind === 'email' || kind === 'phone' ? { ...entry, value: hashAddress(workspace_id, kind, value) } : entry
  })
  let locked: unknown[]
  do {
    await tx.query(sql`
      insert into identifier (bucket, workspace_id, kind, value)
      select w.bucket, w.workspace_id, w.kind, w.value
      from ${places(hidden)} with ordinality w(bucket, workspace_id, kind, value, n)
      order by w.n on conflict do nothing`)
    locked = await tx.query(sql`
      select 1 from ${places(hidden)} w(bucket, workspace_id, kind, value)
      join identifier i on i.bucket = w.bucket and i.workspace_id = w.workspace_id and i.kind = w.kind and i.value = w.value
      order by i.bucket, i.workspace_id, i.kind, i.value for update of i`)
    // One that was there a moment ago went with whom it named.
  } while (locked.length < hidden.length)
}

type CandidateRow = Omit<OwnerRow, 'n'> & { identified: boolean; updated_us: string }

function candidate(row: CandidateRow): Candidate {
  return {
    person: person(row.owner_bucket, row.owner_id),
    identified: row.identified,
    updatedUs: Number(row.updated_us),
  }
}

const updatedUs = sql`(date_part('epoch', p.updated_at) * 1000000)::int8 as updated_us`

/** Who has each address, by identity key: at most `candidateMax + 1` people, so that a crowd is recognised. */
export async function findAddressOwners(
  tx: Tx,
  wanted: readonly (Located & { key: string })[],
): Promise<Map<string, Person[]>> {
  const rows = await tx.query<OwnerRow>(
    early(
      prepared(sql`
    select w.n::int as n, c.owner_bucket, c.owner_id
    from ${places(wanted)} with ordinality w(bucket, workspace_id, kind, value, n)
    cross join lateral (
      select owner_bucket, owner_id from contact c
      where c.bucket = w.bucket and c.workspace_id = w.workspace_id and c.kind = w.kind and c.value = w.value
      limit ${candidateMax + 1}) c`),
    ),
  )
  const owners = new Map<string, Person[]>()
  for (const row of rows) {
    const { key } = wanted[row.n - 1]!
    const owner = person(row.owner_bucket, row.owner_id)
    const list = owners.get(key)
    if (list) list.push(owner)
    else owners.set(key, [owner])
  }
  return owners
}

/** What decides between people who share an address, by profile_id. */
export async function findStandings(tx: Tx, people: readonly Person[]): Promise<Map<string, Candidate>> {
  if (people.length === 0) return new Map()
  const rows = await tx.query<CandidateRow>(
    prepared(sql`
    select p.bucket as owner_bucket, p.profile_id as owner_id, p.external_id is not null as identified, ${updatedUs}
    from ${peopleOf(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id`),
  )
  return new Map(rows.map((row) => [row.owner_id, candidate(row)]))
}

/**
 * Of a crowd on one address: the people that specification 4.1 rule 4 chooses, the first of them first, as far as they are not
 * `mentioned`; and those of `mentioned` who are in the crowd. A flush may take its own people away from the address.
 */
export async function findLatest(tx: Tx, address: Located, mentioned: readonly Person[]): Promise<Candidate[]> {
  const place = sql`c.bucket = ${address.bucket} and c.workspace_id = ${address.workspace_id}
      and c.kind = ${address.kind} and c.value = ${address.value}`
  const columns = sql`c.owner_bucket, c.owner_id, p.external_id is not null as identified, ${updatedUs}`
  const others = await byAnyPlan<CandidateRow>(
    tx,
    sql`
    select ${columns} from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
    where ${place} and c.owner_id <> all(${int8Array(mentioned.map((each) => each.key))}::int8[])
    order by identified desc, p.updated_at desc limit ${candidateMax}`,
  )
  const own = await tx.query<CandidateRow>(sql`
    select ${columns} from ${peopleOf(mentioned)} w(bucket, profile_id)
    cross join lateral (
      select owner_bucket, owner_id from contact c
      where ${place} and c.owner_bucket = w.bucket and c.owner_id = w.profile_id
      limit 1) c
    join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id`)
  return [...others, ...own].map(candidate)
}

/** Everybody who has an address, the most recently updated first. */
export async function findOwners(tx: Tx, address: Located, limit: number): Promise<Person[]> {
  const rows = await tx.query<Omit<OwnerRow, 'n'>>(sql`
    select c.owner_bucket, c.owner_id
    from contact c join profile p on p.bucket = c.owner_bucket and p.profile_id = c.owner_id
    where c.bucket = ${address.bucket} and c.workspace_id = ${address.workspace_id}
      and c.kind = ${address.kind} and c.value = ${address.value}
    order by p.updated_at desc limit ${limit}`)
  return rows.map((row) => person(row.owner_bucket, row.owner_id))
}

/** Which of these profiles exist and are nobody else's by a merge: profile_id to workspace_id. */
export async function findLiving(tx: Tx, people: readonly Person[]): Promise<Map<string, number>> {
  const rows = await tx.query<{ profile_id: string; workspace_id: number }>(
    early(
      prepared(sql`
    select p.profile_id, p.workspace_id from ${peopleOf(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null`),
    ),
  )
  return new Map(rows.map((row) => [row.profile_id, row.workspace_id]))
}

/** Which of these profiles have an external_id. */
export async function findIdentified(tx: Tx, people: readonly Person[]): Promise<string[]> {
  const rows = await tx.query<{ profile_id: string }>(sql`
    select p.profile_id from ${peopleOf(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.external_id is not null`)
  return rows.map((row) => row.profile_id)
}

/** Plain sets and removals of one person: JSON texts of what to set, keys to take away (as an array literal) or null. */
export type PlainDelta = {
  person: Person
  custom: string
  typed: string
  removed: string | null
  /** Keys whose earlier date reading no longer holds. */
  untyped: string | null
  stampUs: number
}

/** Applies plain deltas, sorted by person, and counts the people that were there; a missing one was merged away or deleted. */
export async function applyPlain(tx: Tx, deltas: readonly PlainDelta[]): Promise<number> {
  const rows = await tx.query<{ count: number }>(sql`
    with written as (
    update profile p set
      custom = case when v.removed is null then p.custom || v.custom else (p.custom || v.custom) - v.removed::text[] end,
      typed = case when v.untyped is null or not p.typed ?| v.untyped::text[] then p.typed || v.typed
        else (p.typed - v.untyped::text[]) || v.typed end,
      updated_at = greatest(p.updated_at, v.stamp)
    from (
      select unnest(${int4Array(deltas.map((delta) => delta.person.bucket))}::int4[]) as bucket,
        unnest(${int8Array(deltas.map((delta) => delta.person.key))}::int8[]) as profile_id,
        unnest(${jsonbArray(deltas.map((delta) => delta.custom))}::jsonb[]) as custom,
        unnest(${jsonbArray(deltas.map((delta) => delta.typed))}::jsonb[]) as typed,
        unnest(${textArray(deltas.map((delta) => delta.removed))}::text[]) as removed,
        unnest(${textArray(deltas.map((delta) => delta.untyped))}::text[]) as untyped,
        unnest(${timestampArray(deltas.map((delta) => delta.stampUs))}::timestamptz[]) as stamp) v
    where p.bucket = v.bucket and p.profile_id = v.profile_id and p.merged_into is null
    returning 1)
    select count(*)::int as count from written`)
  return rows[0]!.count
}

export type CustomRow = CustomState & { profile_id: string }

/** Locks people in the one order and loads what operators need. */
export async function lockCustom(tx: Tx, people: readonly Person[]): Promise<CustomRow[]> {
  return tx.query<CustomRow>(
    prepared(sql`
    select p.profile_id, p.custom, p.typed from ${peopleOf(people)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null order by p.bucket, p.profile_id for no key update of p`),
  )
}

/** A person's custom attributes as JSON texts, ready to be written. */
export type SavedCustom = { person: Person; custom: string; typed: string; stampUs: number }

export async function saveCustom(tx: Tx, saved: readonly SavedCustom[]): Promise<void> {
  if (saved.length === 0) return
  await tx.query(sql`
    update profile p set custom = v.custom, typed = v.typed, updated_at = greatest(p.updated_at, v.stamp)
    from (
      select unnest(${int4Array(saved.map((each) => each.person.bucket))}::int4[]) as bucket,
        unnest(${int8Array(saved.map((each) => each.person.key))}::int8[]) as profile_id,
        unnest(${jsonbArray(saved.map((each) => each.custom))}::jsonb[]) as custom,
        unnest(${jsonbArray(saved.map((each) => each.typed))}::jsonb[]) as typed,
        unnest(${timestampArray(saved.map((each) => each.stampUs))}::timestamptz[]) as stamp) v
    where p.bucket = v.bucket and p.profile_id = v.profile_id`)
}
