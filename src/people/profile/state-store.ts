import { int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import { personRows } from '../identity/person-store.ts'
import { blankState, type ProfileState } from './fold.ts'

/** The type of a column. A `moment` is epoch microseconds in a state and timestamptz in the table. */
export type ColumnType = 'text' | 'int' | 'jsonb' | 'float8' | 'boolean' | 'moment'

/** The columns of `profile` that a fold may change. */
export const stateColumns: Record<Exclude<keyof ProfileState, 'external_id'>, ColumnType> = {
  email: 'text',
  phone: 'text',
  first_name: 'text',
  last_name: 'text',
  gender: 'text',
  dob: 'text',
  country: 'text',
  home_city: 'text',
  language: 'text',
  time_zone: 'text',
  image_url: 'text',
  longitude: 'float8',
  latitude: 'float8',
  facebook: 'jsonb',
  twitter: 'jsonb',
  email_subscribe: 'text',
  email_subscribe_at: 'moment',
  email_opted_in_at: 'moment',
  email_unsubscribed_at: 'moment',
  push_subscribe: 'text',
  push_subscribe_at: 'moment',
  push_opted_in_at: 'moment',
  push_unsubscribed_at: 'moment',
  email_open_tracking_disabled: 'boolean',
  email_click_tracking_disabled: 'boolean',
  date_of_first_session: 'moment',
  date_of_last_session: 'moment',
  marked_email_as_spam_at: 'moment',
  custom: 'jsonb',
  typed: 'jsonb',
}

/** Parts of statements for columns that are read from a table `p` and written from JSON records `v`. */
export type ColumnLists = { names: Sql; recordColumns: Sql; fromRecord: Sql; toState: Sql }

export function listColumns(types: Readonly<Record<string, ColumnType>>): ColumnLists {
  const columns = Object.entries(types)
  const listed = (write: (name: string, type: ColumnType) => string) =>
    raw(columns.map(([name, type]) => write(name, type)).join(', '))
  return {
    names: listed((name) => name),
    recordColumns: listed((name, type) => `${name} ${type === 'moment' ? 'float8' : type}`),
    fromRecord: listed((name, type) => (type === 'moment' ? fromMoment(name) : `v.${name}`)),
    toState: listed((name, type) => (type === 'moment' ? toMoment(name) : `p.${name}`)),
  }
}

const { names, recordColumns, fromRecord, toState } = listColumns(stateColumns)

/** SQL for a moment of a record, epoch microseconds, as the table stores it. It is immutable, as Citus wants it in an update. */
export function fromMoment(name: string): string {
  return `(timestamp 'epoch' + v.${name} * interval '1 microsecond') at time zone interval '0'`
}

/** SQL for a column of the table as a moment of a state. */
export function toMoment(name: string): string {
  return `(extract(epoch from p.${name}) * 1000000)::float8 as ${name}`
}

export type LockedState = ProfileState & { bucket: number; profile_id: string; workspace_id: number }

/** Locks people in lock order and loads the columns that a fold reads. */
export async function lockStates(tx: Tx, people: readonly Person[]): Promise<LockedState[]> {
  return byShard<LockedState, Person>(tx, people, (part) =>
    prepared(sql`
    select p.bucket, p.profile_id, p.workspace_id, p.external_id, ${toState}
    from ${personRows(part.items)} w(bucket, profile_id)
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id
    where p.merged_into is null ${withinPart(part, 'p')} order by p.bucket, p.profile_id for no key update of p`),
  )
}

export type SavedState = { person: Person; state: ProfileState; stampUs: number }

/** Writes every column of the states, whose rows are locked. */
export async function saveStates(tx: Tx, saved: readonly SavedState[]): Promise<void> {
  if (saved.length === 0) return
  await byShard<unknown, SavedState>(tx, saved, (part) =>
    prepared(sql`
    update profile p set (${names}, updated_at) = row(${fromRecord}, greatest(p.updated_at, ${fromStamp}))
    from jsonb_to_recordset(${recordsOf(part.items)}::jsonb) v(bucket int, profile_id int8, stamp float8, ${recordColumns})
    where p.bucket = v.bucket and p.profile_id = v.profile_id ${withinPart(part, 'p')}`),
  )
}

const fromStamp = raw(fromMoment('stamp'))

export type NewProfile = SavedState & { workspace_id: number; random_bucket: number }

/**
 * Inserts new people. If another process made the same id in the same millisecond, the transaction fails and `retryWhenRemoved` runs it
 * again with new ids. An insert with `on conflict` would cost a third more for every new person.
 */
export async function insertProfiles(tx: Tx, made: readonly NewProfile[]): Promise<void> {
  const { bare = [], full = [] } = Object.groupBy(made, ({ state }) => (isBare(state) ? 'bare' : 'full'))
  await Promise.all([insertBare(tx, bare), insertFull(tx, full)])
}

const blankColumns = Object.entries(blankState({ kind: 'external_id', value: '' })).filter(
  ([name]) => !['external_id', 'email', 'phone', 'custom', 'typed'].includes(name),
) as [keyof ProfileState, unknown][]

/** Most new people have no standard fields, and their rows need only a few columns. */
function isBare(state: ProfileState): boolean {
  return blankColumns.every(([name, blank]) => state[name] === blank)
}

async function insertBare(tx: Tx, made: readonly NewProfile[]): Promise<void> {
  if (made.length === 0) return
  await tx.query(sql`
    insert into profile (bucket, profile_id, workspace_id, random_bucket, external_id, email, phone, custom, typed,
      created_at, updated_at)
    select *, stamp from (
      select unnest(${int4Array(made.map((each) => each.person.bucket))}::int4[]) as bucket,
        unnest(${int8Array(made.map((each) => each.person.key))}::int8[]) as profile_id,
        unnest(${int4Array(made.map((each) => each.workspace_id))}::int4[]) as workspace_id,
        unnest(${int4Array(made.map((each) => each.random_bucket))}::int4[]) as random_bucket,
        unnest(${textArray(made.map((each) => each.state.external_id))}::text[]) as external_id,
        unnest(${textArray(made.map((each) => each.state.email))}::text[]) as email,
        unnest(${textArray(made.map((each) => each.state.phone))}::text[]) as phone,
        unnest(${jsonbArray(made.map((each) => JSON.stringify(each.state.custom)))}::jsonb[]) as custom,
        unnest(${jsonbArray(made.map((each) => JSON.stringify(each.state.typed)))}::jsonb[]) as typed,
        unnest(${timestampArray(made.map((each) => each.stampUs))}::timestamptz[]) as stamp) v`)
}

async function insertFull(tx: Tx, made: readonly NewProfile[]): Promise<void> {
  if (made.length === 0) return
  await tx.query(
    prepared(sql`
    insert into profile (bucket, profile_id, workspace_id, random_bucket, external_id, ${names}, created_at, updated_at)
    select v.bucket, v.profile_id, v.workspace_id, v.random_bucket, v.external_id, ${fromRecord}, ${fromStamp}, ${fromStamp}
    from jsonb_to_recordset(${recordsOf(made)}::jsonb)
      v(bucket int, profile_id int8, workspace_id int, random_bucket int, external_id text, stamp float8, ${recordColumns})`),
  )
}

function recordsOf(saved: readonly (SavedState & Partial<NewProfile>)[]): string {
  return JSON.stringify(
    saved.map(({ person: { bucket, profile_id }, state, stampUs, workspace_id, random_bucket }) => ({
      ...state,
      bucket,
      profile_id,
      workspace_id,
      random_bucket,
      stamp: stampUs,
    })),
  )
}
