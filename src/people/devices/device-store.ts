import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../identity/person.ts'
import { type DeviceMembers, deviceTexts } from '../profile/device.ts'

const names = [...deviceTexts, 'ad_tracking_enabled']
const members = raw(names.join(', '))
const recordColumns = raw(
  names.map((name) => `${name} ${name === 'ad_tracking_enabled' ? 'boolean' : 'text'}`).join(', '),
)
const recordMembers = raw(names.map((name) => `v.${name}`).join(', '))
const updates = raw(names.map((name) => `${name} = excluded.${name}`).join(', '))

export async function findDevice(tx: Tx, owner: Person, device_id: string): Promise<DeviceMembers | undefined> {
  const [device] = await tx.query<DeviceMembers>(
    prepared(sql`
    select ${members} from device
    where bucket = ${owner.bucket} and profile_id = ${owner.profile_id} and device_id = ${device_id}`),
  )
  return device
}

/** Writes a device. Its owner is locked. */
export async function upsertDevice(
  tx: Tx,
  owner: Person,
  device_id: string,
  device: DeviceMembers,
  stampUs: number,
): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into device (bucket, profile_id, device_id, created_at, ${members})
    select ${owner.bucket}::int4, ${owner.profile_id}::int8, ${device_id}::text, ${timestampFromUs(stampUs)},
      ${recordMembers}
    from jsonb_to_record(${JSON.stringify(device)}::jsonb) v(${recordColumns})
    on conflict (bucket, profile_id, device_id) do update set ${updates}`),
  )
}

/** A push token of one device. */
export type DeviceToken = { app_id: string; token: string; notifications_enabled: boolean }

/** The data that a new owner takes over with a device. The sessions were counted earlier. */
export type TakenDevice = { device: DeviceMembers | undefined; sessions: TakenSession[]; tokens: DeviceToken[] }

type TakenSession = { app_id: string; started_us: string; recorded_us: string }

/** Takes a device from its owner. The owner must be locked. Tokens are only read: giving them to another person removes them. */
export async function takeDevice(tx: Tx, owner: Person, device_id: string): Promise<TakenDevice> {
  const [[device], sessions, tokens] = await Promise.all([
    tx.query<DeviceMembers>(
      prepared(sql`
      delete from device
      where bucket = ${owner.bucket} and profile_id = ${owner.profile_id} and device_id = ${device_id} returning ${members}`),
    ),
    tx.query<TakenSession>(sql`
      delete from app_session
      where bucket = ${owner.bucket} and profile_id = ${owner.profile_id} and device_id = ${device_id}
      returning app_id, (extract(epoch from started_at) * 1000000)::int8 as started_us,
        (extract(epoch from recorded_at) * 1000000)::int8 as recorded_us`),
    // The rows are locked, so that a token that a flush meanwhile gives to another person is not taken.
    tx.query<DeviceToken>(sql`
      select app_id, token, notifications_enabled from push_token
      where bucket = ${owner.bucket} and profile_id = ${owner.profile_id} and device_id = ${device_id} for update`),
  ])
  return { device, sessions, tokens }
}

/** Moments are epoch microseconds. */
export type AppSessionRow = { app_id: string; startedUs: number; recordedUs: number }

/** Stores sessions of a device. Returns those that are new. */
export async function insertSessions(
  tx: Tx,
  owner: Person,
  device_id: string,
  rows: readonly AppSessionRow[],
): Promise<AppSessionRow[]> {
  if (rows.length === 0) return []
  const inserted = await tx.query<{ app_id: string; us: string }>(sql`
    insert into app_session (bucket, profile_id, device_id, app_id, started_at, recorded_at)
    select * from unnest(
      ${int4Array(rows.map(() => owner.bucket))}::int4[], ${int8Array(rows.map(() => owner.key))}::int8[],
      ${textArray(rows.map(() => device_id))}::text[], ${textArray(rows.map((row) => row.app_id))}::text[],
      ${timestampArray(rows.map((row) => row.startedUs))}::timestamptz[],
      ${timestampArray(rows.map((row) => row.recordedUs))}::timestamptz[])
    on conflict do nothing returning app_id, (extract(epoch from started_at) * 1000000)::int8 as us`)
  const isNew = new Set(inserted.map(({ app_id, us }) => `${us} ${app_id}`))
  return rows.filter(({ app_id, startedUs }) => isNew.has(`${startedUs} ${app_id}`))
}

/** An app on a day of its use, as the number of days since 1970-01-01. */
export type DayOfUse = { readonly app_id: string; readonly day: number }

/** Lists the days around these moments (epoch microseconds) on which a person used an app, in a time zone. */
export function listDaysOfUse(
  tx: Tx,
  owner: Person,
  { fromUs, untilUs, zone }: { fromUs: number; untilUs: number; zone: string },
): Promise<DayOfUse[]> {
  return tx.query<DayOfUse>(
    prepared(sql`
    select distinct app_id, (least(started_at, recorded_at) at time zone ${zone})::date - date '1970-01-01' as day
    from app_session
    where bucket = ${owner.bucket} and profile_id = ${owner.profile_id}
      and started_at >= ${timestampFromUs(fromUs)} and started_at <= ${timestampFromUs(untilUs)}`),
  )
}

/** Deletes sessions of a device that were recorded before a moment (epoch microseconds). */
export async function deleteSessions(tx: Tx, owner: Person, device_id: string, beforeUs: number): Promise<void> {
  await tx.query(sql`
    delete from app_session
    where bucket = ${owner.bucket} and profile_id = ${owner.profile_id} and device_id = ${device_id}
      and recorded_at < ${timestampFromUs(beforeUs)}`)
}

/** Stores when each card was last clicked (epoch microseconds). */
export async function upsertCardClicks(tx: Tx, person: Person, cards: ReadonlyMap<string, number>): Promise<void> {
  if (cards.size === 0) return
  await tx.query(sql`
    insert into card_click as c (bucket, profile_id, card, at)
    select * from unnest(
      ${int4Array([...cards].map(() => person.bucket))}::int4[], ${int8Array([...cards].map(() => person.key))}::int8[],
      ${textArray([...cards.keys()])}::text[], ${timestampArray([...cards.values()])}::timestamptz[])
    on conflict (bucket, profile_id, card) do update set at = greatest(c.at, excluded.at)`)
}
