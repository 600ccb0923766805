import assert from 'node:assert/strict'
import type pg from 'pg'
import { ownedTables } from '../../src/people/merge/owned-tables.ts'

const living = '(select bucket, profile_id from profile where merged_into is null)'
const separator = 'chr(31)'
const placeColumns = '{bucket,profile_id,workspace_id,random_bucket,merged_bucket,merged_into,created_at,updated_at}'
/** The other columns of a profile of whom nothing is known. */
const silence = {
  custom: {},
  typed: {},
  email_subscribe: 'subscribed',
  push_subscribe: 'subscribed',
  total_revenue: 0,
  session_count: 0,
  email_open_tracking_disabled: false,
  email_click_tracking_disabled: false,
}

/** What never is: each statement finds rows that should not be there. They hold while nothing waits to be done. */
const never: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ownedTables
      .filter(({ merge }) => merge !== 'left' && merge !== 'by merge-profiles.ts')
      .map(({ table }) => [
        `${table} of nobody who lives`,
        // 0 is nobody: a decision about an identifier that nobody had.
        `select * from ${table} where profile_id <> 0 and (bucket, profile_id) not in ${living}`,
      ]),
  ),
  'app_use of nobody who lives': `select * from app_use where (bucket, profile_id) not in ${living}`,
  'an identifier of nobody who lives': `
    select * from identifier where owner_id is not null and (owner_bucket, owner_id) not in ${living}`,
  'a contact of nobody who lives': `select * from contact where (owner_bucket, owner_id) not in ${living}`,
  'a name of somebody without its identifier': `
    select * from (${names()}) one where (workspace_id, kind, value, bucket, profile_id) not in (
      select workspace_id, kind, value, owner_bucket, owner_id from identifier where owner_id is not null)`,
  'an identifier that is no name of its owner': `
    select * from identifier where owner_id is not null
      and (workspace_id, kind, value, owner_bucket, owner_id) not in (
        select workspace_id, kind, value, bucket, profile_id from (${names()}) one)`,
  'an address of somebody without its contact': `
    select * from (${addresses()}) one where (workspace_id, kind, value, bucket, profile_id) not in (
      select workspace_id, kind, value, owner_bucket, owner_id from contact)`,
  'a contact that is no address of its owner': `
    select * from contact where (workspace_id, kind, value, owner_bucket, owner_id) not in (
      select workspace_id, kind, value, bucket, profile_id from (${addresses()}) one)`,
  'an identifier in two places': `
    select workspace_id, kind, value from identifier group by 1, 2, 3 having count(*) > 1`,
  'a merged profile that still says something': `
    select * from profile p where merged_into is not null
      and jsonb_strip_nulls(to_jsonb(p)) - '${placeColumns}'::text[] <> '${JSON.stringify(silence)}'::jsonb`,
  'a merged profile that does not lead to somebody who lives': `
    select * from profile where merged_into is not null and (merged_bucket, merged_into) not in ${living}`,
  'a merged profile that nobody has absorbed': `
    select * from profile where merged_into is not null and (merged_bucket, merged_into, bucket, profile_id) not in (
      select bucket, profile_id, from_bucket, from_id from absorbed where moved)`,
  'somebody absorbed who is no merged profile': `
    select * from absorbed where (bucket, profile_id, from_bucket, from_id) not in (
      select merged_bucket, merged_into, bucket, profile_id from profile where merged_into is not null)`,
  'work that is not done': `select * from work where state <> 'done'`,
}

/** Every name that tables of people hold: one row each. */
function names(): string {
  const parts = [
    ['external_id', 'external_id', 'profile where external_id is not null'],
    ['external_id', 'external_id', 'former_id join profile using (bucket, profile_id)'],
    ['alias', `alias_label || ${separator} || alias_name`, 'profile_alias join profile using (bucket, profile_id)'],
    ['push_token', `app_id || ${separator} || token`, 'push_token join profile using (bucket, profile_id)'],
    ['device', 'device_id', 'device join profile using (bucket, profile_id)'],
  ]
  return parts
    .map(([kind, value, from]) => {
      const column = from!.startsWith('former_id') ? 'former_id.external_id' : value
      return `select workspace_id, '${kind}' as kind, ${column} as value, bucket, profile_id from ${from}`
    })
    .join(' union all ')
}

function addresses(): string {
  return ['email', 'phone']
    .map(
      (kind) =>
        `select workspace_id, '${kind}' as kind, ${kind} as value, bucket, profile_id from profile where ${kind} is not null`,
    )
    .join(' union all ')
}

/** Fails with the rows that break what always holds; those that were told before are not told again. */
export async function checkInvariants(client: pg.Client, told: Set<string>): Promise<void> {
  for (const [title, sql] of Object.entries(never)) {
    const { rows } = await client.query(sql)
    const unheard = rows.filter((row) => !told.has(JSON.stringify(row)))
    for (const row of unheard) told.add(JSON.stringify(row))
    assert.deepEqual(unheard, [], title)
  }
}
