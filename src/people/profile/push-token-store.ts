import { hash } from 'node:crypto'
import { boolArray, int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { type OwnedIdentifier, takeIdentifiers } from '../identity/identifier-store.ts'
import type { Person } from '../identity/person.ts'

/** A push token of a person. `bucket` is that of the token's identifier row. `device_id` null: the request has none. */
export type PushTokenRow = {
  person: Person
  workspace_id: number
  bucket: number
  app_id: string
  token: string
  device_id: string | null
  notifications_enabled: boolean
  stampUs: number
}

/**
 * Gives tokens to people. A token has one owner, and its former owner loses it. It keeps the first device with which a request has sent it.
 * Until then, the id of the device is derived from the token. One row per token, in lock order; `value` is the token's identifier.
 */
export async function upsertPushTokens(tx: Tx, rows: readonly (PushTokenRow & { value: string })[]): Promise<void> {
  if (rows.length === 0) return
  const former = await takeIdentifiers(tx, rows.map(identifierOf))
  const others = [...former].map(([i, owner]) => ({ n: i + 1, owner, row: rows[i]! }))
  const devices = new Map<string, string>()
  if (others.length > 0) {
    const taken = await byShard<{ n: number; device_id: string }, (typeof others)[number]>(
      tx,
      others,
      (part) =>
        prepared(sql`
      delete from push_token t using unnest(
        ${int4Array(part.items.map(({ n }) => n))}::int4[], ${int4Array(part.items.map(({ owner }) => owner.bucket))}::int4[],
        ${int8Array(part.items.map(({ owner }) => owner.key))}::int8[], ${textArray(part.items.map(({ row }) => row.app_id))}::text[],
        ${textArray(part.items.map(({ row }) => row.token))}::text[]) v(n, bucket, profile_id, app_id, token)
      where t.bucket = v.bucket and t.profile_id = v.profile_id and t.app_id = v.app_id and t.token = v.token ${withinPart(part, 't')}
      returning v.n, t.device_id`),
      ({ owner }) => owner.bucket,
    )
    for (const { n, device_id } of taken) devices.set(rows[n - 1]!.value, device_id)
  }
  await writePushTokens(tx, rows, devices)
}

function identifierOf({ bucket, workspace_id, value, person }: PushTokenRow & { value: string }): OwnedIdentifier {
  return { bucket, workspace_id, kind: 'push_token', value, owner: person }
}

/** Returns the device for a row without one: the stored device, or the one that the token had with its former owner. */
async function writePushTokens(
  tx: Tx,
  rows: readonly (PushTokenRow & { value: string })[],
  devices: ReadonlyMap<string, string>,
): Promise<void> {
  const device = sql`device_id = excluded.device_id,`
  const withDevice = rows.filter((row) => row.device_id !== null)
  const withoutDevice = rows.filter((row) => row.device_id === null)
  for (const [part, update] of [[withDevice, device] as const, [withoutDevice, sql``] as const]) {
    if (part.length === 0) continue
    await tx.query(
      prepared(sql`
      insert into push_token (bucket, profile_id, app_id, token, device_id, notifications_enabled, created_at)
      select * from unnest(
        ${int4Array(part.map((row) => row.person.bucket))}::int4[], ${int8Array(part.map((row) => row.person.key))}::int8[],
        ${textArray(part.map((row) => row.app_id))}::text[], ${textArray(part.map((row) => row.token))}::text[],
        ${textArray(part.map((row) => row.device_id ?? devices.get(row.value) ?? deviceIdOfToken(row.value)))}::text[],
        ${boolArray(part.map((row) => row.notifications_enabled))}::bool[],
        ${timestampArray(part.map((row) => row.stampUs))}::timestamptz[])
      on conflict (bucket, profile_id, app_id, token)
        do update set ${update} notifications_enabled = excluded.notifications_enabled`),
    )
  }
}

/** Returns the device id for a token that was sent without one: always the same for the same token. */
export function deviceIdOfToken(value: string): string {
  return hash('sha256', value).slice(0, 32)
}

/** Deletes tokens of people. */
export async function deletePushTokens(
  tx: Tx,
  rows: readonly Pick<PushTokenRow, 'person' | 'app_id' | 'token'>[],
): Promise<void> {
  if (rows.length === 0) return
  await byShard<unknown, (typeof rows)[number]>(tx, rows, (part) =>
    prepared(sql`
    delete from push_token t using unnest(
      ${int4Array(part.items.map(({ person }) => person.bucket))}::int4[],
      ${int8Array(part.items.map(({ person }) => person.key))}::int8[],
      ${textArray(part.items.map(({ app_id }) => app_id))}::text[], ${textArray(part.items.map(({ token }) => token))}::text[]
    ) v(bucket, profile_id, app_id, token)
    where t.bucket = v.bucket and t.profile_id = v.profile_id and t.app_id = v.app_id and t.token = v.token ${withinPart(part, 't')}`),
  )
}
