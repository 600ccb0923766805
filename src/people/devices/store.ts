import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { aliasParts, type Identifier } from '../identity/identifier.ts'
import type { Person } from '../identity/person.ts'
import { countMax } from '../profile/fold.ts'

/** Whether a person has an alias with this one's label. */
export async function hasLabel(tx: Tx, { bucket, profile_id }: Person, alias: Identifier): Promise<boolean> {
  const found = await tx.query(sql`
    select 1 from profile_alias
    where bucket = ${bucket} and profile_id = ${profile_id} and alias_label = ${aliasParts(alias.value).alias_label}`)
  return found.length > 0
}

/** What a call tells of an app. */
export type ToldUse = {
  app_id: string
  version: string | null
  sessions: number
  firstUsedUs: number | null
  lastUsedUs: number | null
  uninstalledUs: number | null
}

/**
 * Adds to a person's use of an app. The version is that of the latest use; an app that was used after it had been uninstalled is
 * there again. The person is locked.
 */
export async function addAppUse(tx: Tx, { bucket, profile_id }: Person, use: ToldUse): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into app_use as u (bucket, profile_id, app_id, version, sessions, first_used, last_used, uninstalled_at)
    values (${bucket}, ${profile_id}, ${use.app_id}, ${use.version}, ${use.sessions},
      ${timestampFromUs(use.firstUsedUs)}, ${timestampFromUs(use.lastUsedUs)}, ${timestampFromUs(use.uninstalledUs)})
    on conflict (bucket, profile_id, app_id) do update set
      version = case when excluded.last_used < u.last_used then u.version else coalesce(excluded.version, u.version) end,
      sessions = least(u.sessions + excluded.sessions::int8, ${countMax})::int4,
      first_used = least(u.first_used, excluded.first_used),
      last_used = greatest(u.last_used, excluded.last_used),
      uninstalled_at = case
        when greatest(u.last_used, excluded.last_used) > greatest(u.uninstalled_at, excluded.uninstalled_at) then null
        else greatest(u.uninstalled_at, excluded.uninstalled_at) end`),
  )
}

/** Remembers when each card was clicked last (epoch microseconds). */
export async function upsertCardClicks(tx: Tx, person: Person, cards: ReadonlyMap<string, number>): Promise<void> {
  if (cards.size === 0) return
  await tx.query(sql`
    insert into card_click as c (bucket, profile_id, card, at)
    select * from unnest(
      ${int4Array([...cards].map(() => person.bucket))}::int4[], ${int8Array([...cards].map(() => person.key))}::int8[],
      ${textArray([...cards.keys()])}::text[], ${timestampArray([...cards.values()])}::timestamptz[])
    on conflict (bucket, profile_id, card) do update set at = greatest(c.at, excluded.at)`)
}
