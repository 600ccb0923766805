import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { listViewColumns } from '../../scripts/sql-views.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { formatServiceId } from '../../src/base/ids.ts'
import { getInstallation } from '../../src/workspace/settings/installation-store.ts'
import { onBothDatabases } from '../support/databases.ts'

/** The promise: a line may be added, and none may be changed or removed. */
const promised = readFileSync(join(import.meta.dirname, '../golden/sql-views.txt'), 'utf8')
  .trim()
  .split('\n')

/** Tables that no view may read: keys, sessions, secrets, tokens, texts of mails, who did what. */
const hidden = [
  ...[
    'account',
    'api_key',
    'audit',
    'audit_text',
    'card_click',
    'contact',
    'content_block',
    'credential',
    'deleted_names',
    'dkim_key',
  ],
  ...[
    'email_template',
    'flow_draft',
    'idempotency',
    'inbox',
    'media',
    'permission_set',
    'push_token',
    'role',
    'scim_group',
  ],
  ...[
    'scim_token',
    'session',
    'sign_in_attempt',
    'sign_in_identity',
    'sign_in_link',
    'signal',
    'transactional_send',
    'webhook_token',
  ],
]
/** Columns with contents, secrets or keys of tables that views read. */
const hiddenColumns = [
  ...['dispatch.sending', 'dispatch.schedule', 'entry.properties', 'entry.event', 'message.lease', 'message.response'],
  ...[
    'message.warnings',
    'decision.inputs',
    'workspace.settings',
    'installation.admin_token_hash',
    'installation.sealing_key',
  ],
  ...[
    'suppression.told',
    'profile.typed',
    'profile.facebook',
    'profile.twitter',
    'profile.image_url',
    'segment.audience',
  ],
]
/** The types that programs of analysts and Parquet files know. */
const types = ['text', 'jsonb', 'timestamptz', 'date', 'boolean', 'integer', 'bigint', 'double precision']

onBothDatabases('the views have the names, columns and types that are promised, each with a sentence', async (open) => {
  const db = await open()
  const columns = await listViewColumns(db)
  const found = columns.map(({ view, name, type }) => `${view}.${name} ${type}`)
  assert.deepEqual(found, promised)
  for (const { view, about, name, type, meaning } of columns) {
    assert.ok(types.includes(type), `${view}.${name} is ${type}`)
    assert.match(about, /\.$/, view)
    assert.match(meaning, /\.$/, `${view}.${name}`)
  }
})

onBothDatabases('no view reads secrets, tokens, texts of mails or what triggers carried', async (open) => {
  const db = await open()
  const read = await db.query<{ table: string; column: string }>(sql`
    select distinct table_name::text as table, column_name::text as column
    from information_schema.view_column_usage where view_schema = 'public'`)
  const found = new Set(read.map(({ table, column }) => `${table}.${column}`))
  assert.ok(found.has('profile.email') && found.has('message.subject'), 'the list has what views read')
  assert.deepEqual(
    read.filter(({ table }) => hidden.includes(table)),
    [],
  )
  assert.deepEqual(
    hiddenColumns.filter((each) => found.has(each)),
    [],
  )
  const ofSecret = await db.query<{ view: string }>(sql`
    select view_name::text as view from information_schema.view_column_usage
    where table_name = 'installation' and column_name = 'secret' order by 1`)
  // They hash it together with an address or an id.
  assert.deepEqual(
    ofSecret.map(({ view }) => view),
    ['current_person', 'easel_addresses', 'easel_subscriptions'],
  )
})

onBothDatabases('no view reads a clock', async (open) => {
  const db = await open()
  const rows = await db.query<{ name: string; text: string }>(sql`
    select relname::text as name, pg_get_viewdef(oid) as text from pg_class
    where relkind = 'v' and relnamespace = 'public'::regnamespace`)
  assert.ok(rows.length > 20)
  for (const { name, text } of rows)
    assert.doesNotMatch(text, /\bnow\(|current_(?:date|time)|clock_timestamp|localtime/i, name)
})

onBothDatabases('a service id of a view is that of the interface', async (open) => {
  const db = await open()
  await db.query(
    sql`insert into installation (secret, created_at) values (sha256('a'), '2026-01-01') on conflict do nothing`,
  )
  await db.query(sql`
    insert into workspace (workspace_id, id, name, created_at) values (71, 'ids', 'Ids', '2026-01-01')`)
  const ids = ['1', '4095', '9007199254740993', '9223372036854775807']
  for (const [bucket, id] of ids.entries())
    await db.query(sql`
      insert into profile (bucket, profile_id, workspace_id, random_bucket, created_at, updated_at)
      values (${bucket}, ${id}::int8, 71, 0, '2026-01-01', '2026-01-01')`)
  const { secret } = await getInstallation(db)
  const rows = await db.query<{ service_id: string }>(sql`
    select service_id from easel_people where workspace_id = 'ids' order by service_id`)
  assert.deepEqual(
    rows.map(({ service_id }) => service_id),
    ids.map((id) => formatServiceId(id, secret)).sort(),
  )
})

onBothDatabases('a column of a table under a view can change, as CONTRIBUTING.md says', async (open) => {
  const db = await open()
  await db.transaction(async (tx) => {
    const text = sql`select pg_get_viewdef('easel_catalog_items'::regclass) as text`
    const [before] = await tx.query<{ text: string }>(text)
    await tx.query(sql`
      create or replace view easel_catalog_items as
      select null::text as workspace_id, null::text as workspace, null::text as catalog_id, null::text as catalog,
        null::text collate "C" as item_id, null::jsonb as fields, null::timestamptz as updated_at where false`)
    await tx.query(sql`alter table catalog_item alter column fields type json`)
    await tx.query(sql`alter table catalog_item alter column fields type jsonb`)
    await tx.query(raw(`create or replace view easel_catalog_items as ${before!.text}`))
    const [after] = await tx.query<{ text: string }>(text)
    assert.equal(after!.text, before!.text)
  })
})
