import { hash } from 'node:crypto'
import { boolArray, int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { type OwnedIdentifier, takeIdentifiers } from '../identity/identifier-store.ts'
import type { Person } from '../identity/person.ts'

/** A push token of a person; `bucket` is where the token's own identifier row lives. `device_id` null: none was named. */
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
 * Gives tokens to people. A token belongs to one person: who had it before loses it. It keeps the device that was named with it
 * once; until one is, the device's id is made of the token. One row per token, in lock order; `value` is the token's identifier.
 */
export async function upsertPushTokens(tx: Tx, rows: readonly (PushTokenRow & { value: string })[]): Promise<void> {
  if (rows.length === 0) return
  const former = await takeIdentifiers(tx, rows.map(identifierOf))
  const others = [...former].map(([i, owner]) => ({ n: i + 1, owner, row: rows[i]! }))
  const devices = new Map<string, string>()
  if (others.length > 0) {
    const taken = await tx.query<{ n: number; device_id: string }>(sql`
      delete from push_token t using unnest(
        ${int4Array(others.map(({ n }) => n))}::int4[], ${int4Array(others.map(({ owner }) => owner.bucket))}::int4[],
        ${int8Array(others.map(({ owner }) => owner.key))}::int8[], ${textArray(others.map(({ row }) => row.app_id))}::text[],
        ${textArray(others.map(({ row }) => row.token))}::text[]) v(n, bucket, profile_id, app_id, token)
      where t.bucket = v.bucket and t.profile_id = v.profile_id and t.app_id = v.app_id and t.token = v.token
      returning v.n, t.device_id`)
    for (const { n, device_id } of taken) devices.set(rows[n - 1]!.value, device_id)
  }
  await writePushTokens(tx, rows, devices)
}

function identifierOf({ bucket, workspace_id, value, person }: PushTokenRow & { value: string }): OwnedIdentifier {
  return { bucket, workspace_id, kind: 'push_token', value, owner: person }
}

/** A row that names no device leaves the one that is stored, or brings the one its token had with somebody else. */
async function writePushTokens(
  tx: Tx,
  rows: readonly (PushTokenRow & { value: string })[],
  devices: ReadonlyMap<string, string>,
): Promise<void> {
  const device = sql`device_id = excluded.device_id,`
  const named = rows.filter((row) => row.device_id !== null)
  const unnamed = rows.filter((row) => row.device_id === null)
  for (const [part, update] of [[named, device] as const, [unnamed, sql``] as const]) {
    if (part.length === 0) continue
    await tx.query(
      prepared(sql`
      insert into push_token (bucket, profile_id, app_id, token, device_id, notifications_enabled, created_at)
      select * from unnest(
        ${int4Array(part.map((row) => row.person.bucket))}::int4[], ${int8Array(part.map((row) => row.person.key))}::int8[],
        ${textArray(part.map((row) => row.app_id))}::text[], ${textArray(part.map((row) => row.token))}::text[],
        ${textArray(part.map((row) => row.device_id ?? devices.get(row.value) ?? madeDeviceId(row.value)))}::text[],
        ${boolArray(part.map((row) => row.notifications_enabled))}::bool[],
        ${timestampArray(part.map((row) => row.stampUs))}::timestamptz[])
      on conflict (bucket, profile_id, app_id, token)
        do update set ${update} notifications_enabled = excluded.notifications_enabled`),
    )
  }
}

/** The device of a token that came without one: the same for the same token, everywhere. */
export function madeDeviceId(value: string): string {
  return hash('sha256', value).slice(0, 32)
}
