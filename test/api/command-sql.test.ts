import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { type Environment, easel, folderWith, typeEasel } from '../support/command-line.ts'
import { databases, spawnService } from '../support/harness.ts'
import { many } from '../support/people.ts'

const shop = 'apps: [{name: Web, platform: web}]\n'
const values = `select 1 as a, 1 as a, true as b, null as c, 'x,"y"' as d, '{"n": 12345678901234567890}'::jsonb as e,
  timestamptz '2026-01-02 03:04:05.678901Z' as f, 12345678901234567890::numeric as g, '' as h`

/** Statements that must be refused, with the message. None may read a table, change anything or leave the transaction. */
const refused: readonly (readonly [string, RegExp])[] = [
  ['select * from api_key', /permission denied for table api_key/],
  ['select * from current_person', /permission denied for view current_person/],
  ['select secret from installation', /permission denied/],
  ['select 1; drop table flush', /multiple commands/],
  ['commit', /syntax error/],
  ['commit; drop table flush', /syntax error|multiple commands/],
  ['rollback', /syntax error/],
  ['reset role', /syntax error/],
  ['set role postgres', /syntax error/],
  ['drop table flush', /syntax error/],
  ['update profile set email = null', /syntax error/],
  ['with gone as (delete from profile returning 1) select * from gone', /DECLARE CURSOR|permission denied|read-only/],
  ['select * into copied from easel_people', /INTO|read-only|permission denied/],
  [`select set_config('role', 'none', true)`, /uses set_config/],
  [`select U&"set\\005fconfig"('role', 'none', true)`, /uses U&"/],
  [`select * from ts_stat('select to_tsvector(name) from api_key')`, /uses ts_stat/],
  [`select query_to_xml('select * from api_key', true, true, '')`, /uses query_to_xml/],
  [`select pg_read_file('/etc/passwd')`, /permission denied/],
  [`select nextval('audit_audit_id_seq')`, /permission denied|read-only/],
  [`explain analyze delete from flush`, /permission denied|read-only/],
]

async function checkRefusals(env: Environment): Promise<void> {
  for (const [statement, message] of refused) {
    const { code, err, out } = await easel(['sql', statement], env)
    assert.equal(code, 1, `${statement}: ${out}`)
    assert.match(err, message, statement)
  }
  const { err } = await easel(['sql', 'select nme\n  from easel_people'], env)
  assert.match(err, /column "nme" does not exist \(42703\)\nline 1: select nme\n {15}\^/)
  assert.match((await easel(['sql', ' ; '], env)).err, /there is no statement/)
  const slow = `select count(*) from generate_series(1, 100000000) a, generate_series(1, 100000000) b`
  const { code, err: late } = await easel(['sql', slow, '--timeout', '1'], env)
  assert.deepEqual([code, /^the statement took longer than 1 s: --timeout allows more\n$/.test(late)], [1, true], late)
}

async function checkFormats(env: Environment): Promise<void> {
  const csv = await easel(['sql', values], env)
  assert.equal(
    csv.out,
    `a,a_2,b,c,d,e,f,g,h\n1,1,true,,"x,""y""","{""n"": 12345678901234567890}",2026-01-02T03:04:05.678901Z,12345678901234567890,""\n`,
    csv.err,
  )
  const jsonl = await easel(['sql', '--format', 'jsonl'], env, `${values};\n`)
  assert.equal(
    jsonl.out,
    `{"a":1,"a_2":1,"b":true,"c":null,"d":"x,\\"y\\"","e":{"n": 12345678901234567890},"f":"2026-01-02T03:04:05.678901Z",` +
      `"g":12345678901234567890,"h":""}\n`,
    jsonl.err,
  )
  const json = await easel(['sql', 'select n from generate_series(1, 2500) n', '--format', 'json'], env)
  assert.deepEqual(
    JSON.parse(json.out),
    many(2500, (i) => ({ n: i + 1 })),
  )
  assert.deepEqual(JSON.parse((await easel(['sql', 'select 1 as n where false', '--format', 'json'], env)).out), [])
  const table = await easel(['sql', `select 'a' as letter, 12 as "number"`, '--format', 'table'], env)
  assert.equal(table.out, 'letter  number\na       12\n')
  for (const [limit, more] of [
    ['4', true],
    ['5', false],
    ['6', false],
  ] as const) {
    const limited = await easel(['sql', 'select n from generate_series(1, 5) n', '--limit', limit], env)
    assert.equal(limited.out.trim().split('\n').length - 1, Math.min(Number(limit), 5))
    assert.equal(/There are more rows: only 4 are printed/.test(limited.err), more, limited.err)
  }
  const document = JSON.parse((await easel(['sql', values, '--json'], env)).out)
  assert.deepEqual(Object.keys(document), ['columns', 'rows', 'more'])
  assert.equal(document.rows[0].f, '2026-01-02T03:04:05.678901Z')
  assert.match((await easel(['sql', 'explain select * from easel_people'], env)).out, /QUERY PLAN/)
}

test('easel sql on the embedded database without a server reads the views and nothing else', async () => {
  using folder = folderWith({ 'shop.yaml': shop })
  const env = { EASEL_DATA: folder.path('data') }
  assert.match((await easel(['sql', 'select 1'], env)).err, /there is no database in .* yet/)
  assert.equal((await easel(['apply', folder.path('shop.yaml')], env)).code, 0)
  const typed = await typeEasel(['sql', 'select workspace_id from easel_workspaces'], env)
  assert.deepEqual([typed.code, typed.out], [0, 'workspace_id\ndefault\n'], typed.err)
  await checkFormats(env)
  await checkRefusals(env)
  const left = await easel(['sql', `select count(*) as roles from pg_roles where rolname like 'easel%'`], env)
  assert.equal(left.out, 'roles\n1\n', 'the role of this statement only')
})

test('easel sql reads a snapshot while a server uses the embedded database', async () => {
  using folder = folderWith()
  await using service = await spawnService({ dataDir: folder.path('data') })
  const env = { EASEL_DATA: service.dataDir, PORT: new URL(service.url).port, EASEL_ADMIN_TOKEN: service.adminToken }
  const count = 'select count(*) as people from easel_people'
  const track = (ids: readonly string[]) =>
    service.post('/users/track', { attributes: ids.map((external_id) => ({ external_id })) })
  assert.equal((await track(['ada', 'bob'])).status, 201)
  const first = await easel(['sql', count], env)
  assert.deepEqual([first.code, first.out], [0, 'people\n2\n'], first.err)
  assert.match(first.err, /^The server writes a snapshot; it goes on meanwhile\.\n/)
  assert.match(first.err, /^Read from a snapshot that is \d+ seconds old; --fresh takes a new one\.\n$/m)
  assert.equal((await track(['cleo'])).status, 201)
  const again = await easel(['sql', count], env)
  assert.deepEqual([again.out, /writes a snapshot/.test(again.err)], ['people\n2\n', false], again.err)
  const fresh = await easel(['sql', count, '--fresh'], env)
  assert.equal(fresh.out, 'people\n3\n', fresh.err)
  const both = await Promise.all([easel(['sql', count], env), easel(['sql', count], env)])
  assert.deepEqual(
    both.map(({ out }) => out),
    ['people\n3\n', 'people\n3\n'],
    both.map(({ err }) => err).join(),
  )
  assert.equal(readdirSync(join(service.dataDir, 'snapshots')).length, 1, 'an older snapshot is removed')
  assert.deepEqual((await service.admin('GET', '/admin/backups')).body.backups, [], 'the backup was moved')
  // A snapshot is in no backup.
  const file = folder.path('easel.tar.zst')
  assert.equal((await easel(['backup', file, '--no-check'], env)).code, 0)
  const restored = { EASEL_DATA: folder.path('restored') }
  assert.equal((await easel(['restore', file, '--no-check'], restored)).code, 0)
  assert.ok(!existsSync(join(restored.EASEL_DATA, 'snapshots')))
})

if (databases.includes('postgres')) {
  test('easel sql on PostgreSQL reads the views and nothing else', async () => {
    await using service = await spawnService({ database: 'postgres' })
    const env = { DATABASE_URL: service.databaseUrl! }
    await checkFormats(env)
    await checkRefusals(env)
    const left = await easel(['sql', `select count(*) as roles from pg_roles where rolname like 'easel\\_query%'`], env)
    assert.equal(left.out, 'roles\n1\n', 'the role of this statement only')
  })
}

test('easel sql refuses what it cannot do', async () => {
  using folder = folderWith()
  const env = { EASEL_DATA: folder.path('data') }
  assert.match((await easel(['sql', 'select 1'], { EASEL_DATA: 'memory' })).err, /EASEL_DATA=memory is inside/)
  const wrong = await easel(['sql', 'select 1', '--json', '--format', 'csv'], env)
  assert.deepEqual([wrong.code, /exclude each other/.test(wrong.err)], [2, true], wrong.err)
  for (const timeout of ['0', '3601', 'x'])
    assert.equal((await easel(['sql', 'select 1', '--timeout', timeout], env)).code, 2, timeout)
  for (const [bytes, message] of [
    [1_048_575, /there is no database/],
    [1_048_576, /there is no database/],
    [1_048_577, /more than 1048576 bytes/],
  ] as const)
    assert.match((await easel(['sql'], env, `select '${'x'.repeat(bytes - 9)}'`)).err, message)
})
