import assert from 'node:assert/strict'
import type pg from 'pg'
import { ownedTables } from '../../src/people/merge/owned-tables.ts'

const existing = '(select bucket, profile_id from profile where merged_into is null)'
const separator = 'chr(31)'
const placeColumns = '{bucket,profile_id,workspace_id,random_bucket,merged_bucket,merged_into,created_at,updated_at}'
/** The other columns of an empty profile. */
const emptyColumns = {
  custom: {},
  typed: {},
  email_subscribe: 'subscribed',
  push_subscribe: 'subscribed',
  total_revenue: 0,
  session_count: 0,
  email_open_tracking_disabled: false,
  email_click_tracking_disabled: false,
}

/** Statements that find invalid rows. They find none while no work waits. */
const invalidRows: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ownedTables
      .filter(({ merge }) => merge !== 'left' && merge !== 'by merge-profiles.ts')
      .map(({ table }) => [
        `${table} without an existing person`,
        // A decision about an unknown identifier has the profile id 0.
        `select * from ${table} where profile_id <> 0 and (bucket, profile_id) not in ${existing}`,
      ]),
  ),
  'app_use without an existing person': `select * from app_use where (bucket, profile_id) not in ${existing}`,
  'an identifier without an existing person': `
    select * from identifier where owner_id is not null and (owner_bucket, owner_id) not in ${existing}`,
  'a contact without an existing person': `select * from contact where (owner_bucket, owner_id) not in ${existing}`,
  'a name of a person without its identifier': `
    select * from (${names()}) one where (workspace_id, kind, value, bucket, profile_id) not in (
      select workspace_id, kind, value, owner_bucket, owner_id from identifier where owner_id is not null)`,
  'an identifier that is not a name of its owner': `
    select * from identifier where owner_id is not null
      and (workspace_id, kind, value, owner_bucket, owner_id) not in (
        select workspace_id, kind, value, bucket, profile_id from (${names()}) one)`,
  'an address of a person without its contact': `
    select * from (${addresses()}) one where (workspace_id, kind, value, bucket, profile_id) not in (
      select workspace_id, kind, value, owner_bucket, owner_id from contact)`,
  'a contact that is not an address of its owner': `
    select * from contact where (workspace_id, kind, value, owner_bucket, owner_id) not in (
      select workspace_id, kind, value, bucket, profile_id from (${addresses()}) one)`,
  'an identifier in two places': `
    select workspace_id, kind, value from identifier group by 1, 2, 3 having count(*) > 1`,
  'a merged profile that is not empty': `
    select * from profile p where merged_into is not null
      and jsonb_strip_nulls(to_jsonb(p)) - '${placeColumns}'::text[] <> '${JSON.stringify(emptyColumns)}'::jsonb`,
  'a merged profile without an existing kept profile': `
    select * from profile where merged_into is not null and (merged_bucket, merged_into) not in ${existing}`,
  'a merged profile without a row in merged_profile': `
    select * from profile where merged_into is not null and (merged_bucket, merged_into, bucket, profile_id) not in (
      select bucket, profile_id, from_bucket, from_id from merged_profile where moved)`,
  'a row in merged_profile without a merged profile': `
    select * from merged_profile where (bucket, profile_id, from_bucket, from_id) not in (
      select merged_bucket, merged_into, bucket, profile_id from profile where merged_into is not null)`,
  'work that is not done': `select * from work where state <> 'done'`,
}

/** Returns SQL with a row for every name in the tables of people. */
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

/** Fails with the rows that break an invariant, without the rows of earlier failures. */
export async function checkInvariants(client: pg.Client, reported: Set<string>): Promise<void> {
  for (const [title, sql] of Object.entries(invalidRows)) {
    const { rows } = await client.query(sql)
    const newRows = rows.filter((row) => !reported.has(JSON.stringify(row)))
    for (const row of newRows) reported.add(JSON.stringify(row))
    assert.deepEqual(newRows, [], title)
  }
}
