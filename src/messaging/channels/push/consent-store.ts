import { withinPart } from '../../../base/db/by-shard.ts'
import type { Tx } from '../../../base/db/db.ts'
import type { ShardPart } from '../../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../../base/db/sql.ts'
import { findOfKept } from '../../../people/identity/current-store.ts'
import { type Person, person } from '../../../people/identity/person.ts'
import type { SubscribeState } from '../../../people/profile/standard.ts'

/** A push token of an app of a platform, with the device that has it. */
export type TokenOfDevice = { readonly app_id: string; readonly device_id: string; readonly token: string }

/** Consent to pushes, and the devices, the most recently used one first. */
export type PushConsentRow = {
  readonly push_subscribe: SubscribeState
  readonly push_subscribe_at: Date | null
  readonly push_tokens: readonly TokenOfDevice[] | null
  /** Tokens whose device has notifications turned off. */
  readonly silent_tokens: number
}

export const pushColumns: Sql = sql`p.push_subscribe, p.push_subscribe_at, k.push_tokens, k.silent_tokens`

/**
 * Joins the newest token of each device of `p` for each app of the platform. A device with several tokens is one that has renewed its
 * token, and shows a push once. `part` has the buckets of the people, if the statement names them.
 */
export function tokensJoin(platform: string, part: ShardPart = { items: [] }): Sql {
  return sql`
    left join lateral (
      select jsonb_agg(jsonb_build_object('app_id', d.app_id, 'device_id', d.device_id, 'token', d.token)
          order by d.used_at desc, d.device_id, d.app_id) filter (where d.notifications_enabled) as push_tokens,
        (count(*) filter (where not d.notifications_enabled))::int4 as silent_tokens
      from (
        select distinct on (t.app_id, t.device_id) t.app_id, t.device_id, t.token, t.notifications_enabled,
          greatest(t.created_at, (
            select max(s.recorded_at) from app_session s
            where s.bucket = t.bucket and s.profile_id = t.profile_id and s.device_id = t.device_id and s.app_id = t.app_id
              ${withinPart(part, 's')}
          )) as used_at
        from push_token t
        join app a on a.workspace_id = p.workspace_id and a.id = t.app_id and a.platform = ${platform}::text
        where t.bucket = p.bucket and t.profile_id = p.profile_id ${withinPart(part, 't')}
        order by t.app_id, t.device_id, t.created_at desc, t.token) d) k on true`
}

type OwnerRow = { bucket: number; profile_id: string; push_tokens: readonly TokenOfDevice[] | null }

/** Returns the owner of a push now, and the tokens; undefined when the person is gone. After a merge it is the kept person. */
export async function findTokens(
  tx: Tx,
  { bucket, profile_id }: { readonly bucket: number; readonly profile_id: string },
  platform: string,
): Promise<{ readonly owner: Person; readonly tokens: readonly TokenOfDevice[] } | undefined> {
  const given = person(bucket, profile_id)
  const row = await (tx.placement === undefined
    ? joinTokens(tx, given, platform)
    : findOfKept(tx, given, (of) => findOwnTokens(tx, of, platform)))
  return row && { owner: person(row.bucket, row.profile_id), tokens: row.push_tokens ?? [] }
}

async function joinTokens(tx: Tx, { bucket, profile_id }: Person, platform: string): Promise<OwnerRow | undefined> {
  const [row] = await tx.query<OwnerRow>(
    prepared(sql`
    select p.bucket, p.profile_id, k.push_tokens
    from (
      select ${bucket}::int4 as bucket, ${profile_id}::int8 as profile_id
      union
      select o.merged_bucket, o.merged_into from profile o
      where o.bucket = ${bucket} and o.profile_id = ${profile_id}::int8 and o.merged_into is not null) w
    join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id and p.merged_into is null
    ${tokensJoin(platform)} limit 1`),
  )
  return row
}

async function findOwnTokens(tx: Tx, { bucket, profile_id }: Person, platform: string): Promise<OwnerRow | undefined> {
  const [row] = await tx.query<OwnerRow>(
    prepared(sql`
    select p.bucket, p.profile_id, k.push_tokens from profile p ${tokensJoin(platform, { items: [], buckets: [bucket] })}
    where p.bucket = ${bucket} and p.profile_id = ${profile_id}::int8 and p.merged_into is null`),
  )
  return row
}
