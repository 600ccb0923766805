import assert from 'node:assert/strict'
import { createHash, createHmac } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import pg from 'pg'
import { verifierOf } from '../../cli/analyst-role.ts'
import { listViewColumns } from '../../scripts/sql-views.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { openDb } from '../../src/base/db/open.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { easel } from '../support/command-line.ts'
import { quiet } from '../support/databases.ts'

/** What an analyst must not do, with the SQLSTATE of the refusal: 42501 insufficient privilege, 25006 read-only transaction. */
const refusedStatements = [
  'create table mine (a int)',
  'create temporary table mine (a int)',
  'create view mine as select 1',
  'create schema mine',
  'create function mine() returns int language sql as $$ select 1 $$',
  'create role other',
  'insert into easel_segments (segment_id) values (1)',
  'delete from easel_workspaces',
  'update easel_workspaces set workspace = null',
  `select pg_read_file('postgresql.conf')`,
  `select pg_ls_dir('.')`,
  `copy (select 1) to '/tmp/easel-analyst'`,
  `copy easel_people to program 'cat'`,
  'select lo_create(0)',
  `select lo_from_bytea(0, 'a')`,
  `select lo_import('/etc/passwd')`,
  'select * from pg_authid',
  'select rolpassword from pg_authid',
  'set role postgres',
  'set session authorization postgres',
  'alter role analyst superuser',
  'alter system set fsync = off',
  'select * from current_person',
]

async function opened(t: TestContext): Promise<{ db: Db; databaseUrl: string } | undefined> {
  if (!(await testPostgres(t))) return undefined
  const databaseUrl = await newDatabase('analysts')
  const db = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock: systemClock() })
  t.after(() => db.close())
  return { db, databaseUrl }
}

/** A name that no other test of the server has: roles belong to all databases. */
function newName(): string {
  return `analyst_${process.pid}_${Math.floor(performance.now() * 1000)}`
}

async function connected(t: TestContext, databaseUrl: string, user: string, password = ''): Promise<pg.Client> {
  const url = new URL(databaseUrl)
  url.username = user
  url.password = password
  const client = new pg.Client({ connectionString: url.href })
  await client.connect()
  t.after(() => client.end())
  return client
}

async function codeOf(client: pg.Client, statement: string): Promise<string> {
  const failed = await client.query(statement).then(
    () => undefined,
    (error: pg.DatabaseError) => error,
  )
  return failed?.code ?? 'allowed'
}

test('an analyst reads every view, and no table, writes nothing, reads no file, and is ended in time', async (t) => {
  const server = await opened(t)
  if (!server) return
  const { db, databaseUrl } = server
  const name = newName()
  const created = await easel(['analysts', 'create', name, '--timeout', '600', '--connections', '2'], {
    DATABASE_URL: databaseUrl,
  })
  assert.equal(created.code, 0, created.err)
  assert.match(created.out, /^[\w-]{32}\n$/)
  const [role] = await db.query<{ rolpassword: string; rolconnlimit: number }>(sql`
    select rolpassword, rolconnlimit from pg_authid where rolname = ${name}`)
  assert.match(role!.rolpassword, /^SCRAM-SHA-256\$4096:/)
  assert.equal(role!.rolconnlimit, 2)

  const client = await connected(t, databaseUrl, name, created.out.trim())
  for (const view of new Set((await listViewColumns(db)).map((column) => column.view)))
    await client.query(`select * from ${view} limit 1`)
  const tables = await db.query<{ name: string }>(sql`
    select c.relname::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and (c.relkind in ('r', 'p', 'S') or c.relname = 'current_person')`)
  assert.ok(tables.length > 80)
  for (const { name: table } of tables) {
    assert.equal(await codeOf(client, `select * from "${table}" limit 1`), '42501', table)
    const write = await codeOf(client, `delete from "${table}"`)
    assert.ok(['42501', '25006', '42809', '55000'].includes(write), `${table}: ${write}`)
  }
  for (const readOnly of ['on', 'off']) {
    // A role may change its own settings, so that rights alone must be enough.
    await client.query(`set default_transaction_read_only = ${readOnly}`)
    for (const statement of refusedStatements) {
      const code = await codeOf(client, statement.replaceAll('analyst', name))
      assert.ok(['42501', '25006', '55000', '0A000', '42809'].includes(code), `${statement}: ${code}`)
    }
  }
  // The statements above may take long on a busy machine.
  const hasty = `${name}_hasty`
  const second = await easel(['analysts', 'create', hasty, '--timeout', '1'], { DATABASE_URL: databaseUrl })
  const hastyClient = await connected(t, databaseUrl, hasty, second.out.trim())
  assert.equal(await codeOf(hastyClient, 'select pg_sleep(600)'), '57014')

  const asAnalyst = new URL(databaseUrl)
  asAnalyst.username = name
  asAnalyst.password = created.out.trim()
  const read = await easel(['sql', 'select count(*) as n from easel_people'], { DATABASE_URL: asAnalyst.href })
  assert.equal(read.out, 'n\n0\n', read.err)
  assert.match(
    (await easel(['sql', 'select * from profile'], { DATABASE_URL: asAnalyst.href })).err,
    /permission denied/,
  )

  for (const bad of ['pg_anna', 'Anna', 'anna-b', 'a'.repeat(64), 'x"; drop table flush; --'])
    assert.match(
      (await easel(['analysts', 'create', bad], { DATABASE_URL: databaseUrl })).err,
      /cannot be the name of a role/,
    )
  const twice = await easel(['analysts', 'create', name], { DATABASE_URL: databaseUrl })
  assert.match(twice.err, /there is a role .* already/)
  await db.query(raw('create view easel_later as select 1 as one'))
  assert.equal(await codeOf(client, 'select * from easel_later'), '42501')
  assert.equal((await easel(['analysts', 'grant', name], { DATABASE_URL: databaseUrl })).code, 0)
  assert.equal(await codeOf(client, 'select * from easel_later'), 'allowed')
  const removed = await easel(['analysts', 'remove', name], { DATABASE_URL: databaseUrl })
  assert.equal(removed.code, 0, removed.err)
  assert.equal(await codeOf(client, 'select * from easel_people'), '42501')
  assert.match(
    (await easel(['analysts', 'remove', 'postgres'], { DATABASE_URL: databaseUrl })).err,
    /there is no analyst postgres/,
  )
})

test('a role that may not create roles gets the SQL, which a superuser can run', async (t) => {
  const server = await opened(t)
  if (!server) return
  const { db, databaseUrl } = server
  const [weak, name] = [`${newName()}_weak`, `${newName()}_new`]
  await db.query(raw(`create role ${weak} login; grant select on all tables in schema public to ${weak}`))
  const url = new URL(databaseUrl)
  url.username = weak
  const printed = await easel(['analysts', 'create', name], { DATABASE_URL: url.href })
  assert.deepEqual([printed.code, /may not create roles/.test(printed.err)], [0, true], printed.err)
  const [, password] = /shown this once: ([\w-]{32})/.exec(printed.err)!
  assert.ok(!printed.out.includes(password!), 'the password is not in the SQL')
  await db.query(raw(printed.out.replace(/;\n$/, '')))
  const client = await connected(t, databaseUrl, name, password)
  assert.equal(await codeOf(client, 'select * from easel_people'), 'allowed')
  assert.equal(await codeOf(client, 'select * from profile'), '42501')
  assert.equal(await codeOf(client, 'select lo_create(0)'), '42501')
  assert.match((await easel(['sql', 'select 1'], { DATABASE_URL: url.href })).err, /its rights cannot be narrowed/)
})

test('a role with createrole creates an analyst, and names what only a superuser can take away', async (t) => {
  const server = await opened(t)
  if (!server) return
  const { db, databaseUrl } = server
  const [maker, name] = [`${newName()}_maker`, `${newName()}_made`]
  // As where Easel has a role of its own: it owns its views, and creates roles.
  const owned = (await listViewColumns(db)).map(({ view }) => view)
  await db.query(
    raw(`create role ${maker} login createrole; grant select on all tables in schema public to ${maker};
      ${[...new Set(owned)].map((view) => `grant select on ${view} to ${maker} with grant option`).join('; ')};
      grant connect on database "${new URL(databaseUrl).pathname.slice(1)}" to ${maker} with grant option`),
  )
  const url = new URL(databaseUrl)
  url.username = maker
  const created = await easel(['analysts', 'create', name], { DATABASE_URL: url.href })
  assert.equal(created.code, 0, created.err)
  assert.match(created.err, /need other rights.*revoke temporary on database.*revoke execute on function lo_creat/s)
  const client = await connected(t, databaseUrl, name, created.out.trim())
  assert.equal(await codeOf(client, 'select * from easel_people'), 'allowed')
  assert.equal(await codeOf(client, 'select * from api_key'), '42501')
  const read = await easel(['sql', 'select count(*) as n from easel_people'], { DATABASE_URL: url.href })
  assert.equal(read.out, 'n\n0\n', read.err)
})

test('names that need quotes, and limits out of range, are refused', async () => {
  const env = { DATABASE_URL: 'postgres://easel@127.0.0.1:1/easel' }
  for (const [option, value] of [
    ['--timeout', '0'],
    ['--timeout', '86401'],
    ['--connections', '0'],
    ['--connections', '101'],
  ] as const)
    assert.equal((await easel(['analysts', 'create', 'anna', option, value], env)).code, 2)
  assert.match(
    (await easel(['analysts', 'create', 'anna'], { EASEL_DATA: 'memory' })).err,
    /embedded database has no roles/,
  )
})

test('the verifier of a password is that of RFC 7677', () => {
  const verifier = verifierOf('pencil', Buffer.from('W22ZaJ0SNY7soEsUEjb6gQ==', 'base64'))
  const [, stored, server] = /^SCRAM-SHA-256\$4096:W22ZaJ0SNY7soEsUEjb6gQ==\$([^:]+):(.+)$/.exec(verifier)!
  const nonce = 'rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0'
  const message = `n=user,r=rOprNGfwEbeRWgbNEkqO,r=${nonce},s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,c=biws,r=${nonce}`
  const keyed = (key: string) => createHmac('sha256', Buffer.from(key, 'base64')).update(message).digest()
  assert.equal(keyed(server!).toString('base64'), '6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=')
  // The client proves that it knows the key whose hash is stored.
  const proof = Buffer.from('dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=', 'base64')
  const clientKey = keyed(stored!).map((byte, i) => byte ^ proof[i]!)
  assert.equal(createHash('sha256').update(clientKey).digest('base64'), stored)
})
