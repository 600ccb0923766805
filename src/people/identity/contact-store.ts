import { hash } from 'node:crypto'
import { boolArray, int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { Located, Person } from './person.ts'

/** That somebody has an address. */
export type ContactRow = Located<'email' | 'phone'> & { owner: Person }

type ContactColumns = [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer]

function contactColumns(rows: readonly ContactRow[]): ContactColumns {
  return [
    int4Array(rows.map((row) => row.bucket)),
    int4Array(rows.map((row) => row.workspace_id)),
    textArray(rows.map((row) => row.kind)),
    textArray(rows.map((row) => row.value)),
    int4Array(rows.map((row) => row.owner.bucket)),
    int8Array(rows.map((row) => row.owner.key)),
  ]
}

export async function insertContacts(tx: Tx, rows: readonly ContactRow[]): Promise<void> {
  if (rows.length === 0) return
  const [bucket, workspace, kind, value, ownerBucket, owner] = contactColumns(rows)
  await tx.query(sql`
    insert into contact (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select * from unnest(
      ${bucket}::int4[], ${workspace}::int4[], ${kind}::text[], ${value}::text[], ${ownerBucket}::int4[], ${owner}::int8[])
    on conflict do nothing`)
}

export async function deleteContacts(tx: Tx, rows: readonly ContactRow[]): Promise<void> {
  if (rows.length === 0) return
  const [bucket, workspace, kind, value, ownerBucket, owner] = contactColumns(rows)
  await tx.query(sql`
    delete from contact c using unnest(
      ${bucket}::int4[], ${workspace}::int4[], ${kind}::text[], ${value}::text[], ${ownerBucket}::int4[], ${owner}::int8[]
    ) v(bucket, workspace_id, kind, value, owner_bucket, owner_id)
    where c.bucket = v.bucket and c.workspace_id = v.workspace_id and c.kind = v.kind and c.value = v.value
      and c.owner_bucket = v.owner_bucket and c.owner_id = v.owner_id`)
}

export type AliasRow = { person: Person; alias_label: string; alias_name: string }

export async function insertAliases(tx: Tx, rows: readonly AliasRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`${aliasesOf(rows)} on conflict do nothing`)
}

/** One row per person and label: the alias with that label has this name from now on. */
export async function upsertAliases(tx: Tx, rows: readonly AliasRow[]): Promise<void> {
  if (rows.length === 0) return
  await tx.query(sql`${aliasesOf(rows)}
    on conflict (bucket, profile_id, alias_label) do update set alias_name = excluded.alias_name`)
}

function aliasesOf(rows: readonly AliasRow[]): Sql {
  return sql`
    insert into profile_alias (bucket, profile_id, alias_label, alias_name)
    select * from unnest(
      ${int4Array(rows.map((row) => row.person.bucket))}::int4[], ${int8Array(rows.map((row) => row.person.key))}::int8[],
      ${textArray(rows.map((row) => row.alias_label))}::text[], ${textArray(rows.map((row) => row.alias_name))}::text[])`
}

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
  const tokens = {
    owner: int8Array(rows.map((row) => row.person.key)),
    ownerBucket: int4Array(rows.map((row) => row.person.bucket)),
    bucket: int4Array(rows.map((row) => row.bucket)),
    workspace: int4Array(rows.map((row) => row.workspace_id)),
    value: textArray(rows.map((row) => row.value)),
  }
  const given = sql`unnest(
      ${tokens.bucket}::int4[], ${tokens.workspace}::int4[], ${tokens.value}::text[], ${tokens.ownerBucket}::int4[],
      ${tokens.owner}::int8[])`
  await tx.query(sql`
    insert into identifier (bucket, workspace_id, kind, value, owner_bucket, owner_id)
    select v.bucket, v.workspace_id, 'push_token', v.value, v.owner_bucket, v.owner_id
    from ${given} v(bucket, workspace_id, value, owner_bucket, owner_id)
    on conflict do nothing`)
  // From here on nobody else can give the same tokens to somebody.
  const owners = await tx.query<{ n: number; owner_bucket: number; owner_id: string }>(sql`
    select v.n::int as n, i.owner_bucket, i.owner_id
    from ${given} with ordinality v(bucket, workspace_id, value, owner_bucket, owner_id, n)
    join identifier i on i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = 'push_token' and i.value = v.value
    order by v.n for update of i`)
  const others = owners.filter((owner) => owner.owner_id !== rows[owner.n - 1]!.person.profile_id)
  const devices = new Map<string, string>()
  if (others.length > 0) {
    await tx.query(sql`
      update identifier i set owner_bucket = v.owner_bucket, owner_id = v.owner_id
      from ${given} v(bucket, workspace_id, value, owner_bucket, owner_id)
      where i.bucket = v.bucket and i.workspace_id = v.workspace_id and i.kind = 'push_token' and i.value = v.value`)
    const taken = await tx.query<{ n: number; device_id: string }>(sql`
      delete from push_token t using unnest(
        ${int4Array(others.map((owner) => owner.n))}::int4[],
        ${int4Array(others.map((owner) => owner.owner_bucket))}::int4[],
        ${int8Array(others.map((owner) => BigInt(owner.owner_id)))}::int8[],
        ${textArray(others.map((owner) => rows[owner.n - 1]!.app_id))}::text[],
        ${textArray(others.map((owner) => rows[owner.n - 1]!.token))}::text[]) v(n, bucket, profile_id, app_id, token)
      where t.bucket = v.bucket and t.profile_id = v.profile_id and t.app_id = v.app_id and t.token = v.token
      returning v.n, t.device_id`)
    for (const { n, device_id } of taken) devices.set(rows[n - 1]!.value, device_id)
  }
  await writePushTokens(tx, rows, devices)
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
