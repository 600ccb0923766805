import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { balanceBytesMin } from '../../cli/doctor-shards.ts'
import { ConfigError } from '../../src/base/config.ts'
import { localTables } from '../../src/base/db/local-tables.ts'
import { excludeProcesses } from '../../src/workspace/clock/register-process.ts'
import { newDatabase } from '../servers/template.ts'
import { type CatalogDouble, hasPlainPostgres, openCatalogDouble } from '../support/citus-catalog.ts'
import { easel, folderWith, type Ran } from '../support/command-line.ts'
import { startService } from '../support/harness.ts'

/** Registers a test on a double of the catalog of Citus, in a PostgreSQL database of its own. */
function onDouble(
  title: string,
  body: (double: CatalogDouble, t: TestContext) => Promise<void>,
  options: Parameters<typeof openCatalogDouble>[0] = {},
): void {
  test(`${title} (double of the catalog of Citus)`, async (t) => {
    if (!(await hasPlainPostgres(t))) return
    await using double = await openCatalogDouble(options)
    await body(double, t)
  })
}

function distribute({ databaseUrl }: { databaseUrl: string }, ...args: readonly string[]): Promise<Ran> {
  return easel(['distribute', ...args], { DATABASE_URL: databaseUrl, EASEL_DATA: 'memory' })
}

const neverRan = /^This command was tested with a double of the catalog of Citus, and never with Citus itself/

/** The tables that must be distributed, `profile` first. */
async function tablesOf({ query }: CatalogDouble): Promise<string[]> {
  const rows = await query<{ name: string }>(`
    select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
    where c.relkind in ('r', 'p') and not c.relispartition and c.relnamespace = 'public'::regnamespace order by 1`)
  const names = rows.map(({ name }) => name).filter((name) => !localTables.includes(name))
  return ['profile', ...names.filter((name) => name !== 'profile').sort()]
}

async function commandsOf(double: CatalogDouble, shards = 12): Promise<string[]> {
  return (await tablesOf(double)).map((name) =>
    name === 'profile'
      ? `select create_distributed_table('public.profile', 'bucket', colocate_with => 'none', shard_count => ${shards})`
      : `select create_distributed_table('public.${name}', 'bucket', colocate_with => 'public.profile')`,
  )
}

onDouble('a dry run prints the commands and changes nothing', async (double) => {
  const commands = await commandsOf(double)
  assert.ok(commands.length > 30)
  const ran = await distribute(double, '--dry-run')
  assert.match(ran.err, neverRan)
  assert.equal(ran.code, 0)
  const head = `-- 12 shards on 3 nodes, ${commands.length} commands`
  assert.equal(ran.out, `${[head, ...commands.map((command) => `${command};`)].join('\n')}\n`)
  assert.deepEqual(await double.calls(), [])
  const { nodes, shards, done } = JSON.parse((await distribute(double, '--dry-run', '--shards', '6', '--json')).out)
  assert.deepEqual({ nodes, shards, done }, { nodes: 3, shards: 6, done: 0 })
})

onDouble('each table is distributed by one command, and the second run has nothing to do', async (double) => {
  const commands = await commandsOf(double)
  const ran = await distribute(double)
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.err, neverRan)
  assert.match(ran.err, new RegExp(`^1 of ${commands.length}: distributes profile$`, 'm'))
  assert.match(ran.out, new RegExp(`^Distributed ${commands.length} tables over 12 shards on 3 nodes\\.`))
  // The double records the whole text that the server got.
  assert.deepEqual(await double.calls(), commands)
  const again = await distribute(double)
  assert.deepEqual(
    [again.code, again.out],
    [0, 'Nothing to do: every table has its place, on 12 shards and 3 nodes.\n'],
  )
  assert.deepEqual(await double.calls(), commands)
})

onDouble('a run that is interrupted goes on with the table at which it ended', async (double) => {
  const commands = await commandsOf(double, 6)
  await double.query("insert into citus_double.failing values ('message')")
  const failed = await distribute(double, '--shards', '6')
  assert.equal(failed.code, 1)
  assert.match(failed.err, /^message: connection to the remote node node-2:5432 failed$/m)
  assert.match(
    failed.err,
    /Run this command again when the cause is removed: it finds out what is left, and goes on\.$/m,
  )
  const before = await double.calls()
  assert.deepEqual(
    before,
    commands.slice(
      0,
      commands.findIndex((command) => command.includes('public.message')),
    ),
  )
  await double.query('delete from citus_double.failing')
  // A row that is on the coordinator is removed there after it was copied.
  await double.query('insert into flush (bucket, flush_id, at) values (1, gen_random_uuid(), now())')
  const ran = await distribute(double)
  assert.equal(ran.code, 0, ran.err)
  assert.match(ran.err, /: removes from the coordinator flush, 1 MB$/m)
  assert.deepEqual(await double.calls(), [
    ...commands,
    "select truncate_local_data_after_distributing_table('public.flush')",
  ])
})

onDouble('functions of the schema are made on every node', async (double) => {
  await double.query(
    "create function public.moment(us bigint) returns text language sql immutable as 'select us::text'",
  )
  const ran = await distribute(double)
  assert.equal(ran.code, 0, ran.err)
  assert.equal((await double.calls()).at(-1), "select create_distributed_function('moment(bigint)')")
  assert.match((await distribute(double)).out, /^Nothing to do/)
})

onDouble('a table that is distributed in another way is refused by name, and nothing is changed', async (double) => {
  await double.query("select create_distributed_table('event', 'profile_id')")
  const before = await double.calls()
  const ran = await distribute(double)
  assert.equal(ran.code, 1)
  assert.match(
    ran.err,
    /: the table event is distributed by profile_id instead of bucket: run select undistribute_table/,
  )
  assert.deepEqual(await double.calls(), before)
})

onDouble('a database without nodes, of an old version or without a migration is refused', async (double) => {
  const refused = async (text: RegExp) => {
    const ran = await distribute(double)
    assert.equal(ran.code, 1)
    assert.match(ran.err, text)
  }
  await double.query("update citus_double.answer set version = 'Citus 12.1.5 on x86_64'")
  await double.query('update citus_double.pg_dist_node set isactive = false')
  await refused(/: this is Citus 12\.1\.5 on x86_64: install Citus 13 or newer.*\nalso, no active node takes shards/)
  await double.query('update citus_double.pg_dist_local_group set groupid = 2')
  await refused(/also, this server is a node with shards: set DATABASE_URL to the coordinator/)
  await double.query('delete from migration where number = (select max(number) from migration)')
  await refused(/ lacks \d{4}_\w+\.sql: npm run easel -- migrate applies them; then distribute it/)
  await double.query('delete from migration')
  await refused(/ has no tables yet: npm run easel -- migrate makes them; then distribute them/)
  assert.deepEqual(await double.calls(), [])
})

test('an embedded database, and a server without Citus, are refused with the next step', async (t) => {
  const embedded = await easel(['distribute'], { EASEL_DATA: 'memory' })
  assert.equal(embedded.code, 1)
  assert.match(embedded.err, /^the embedded database is in one place: move it to a PostgreSQL server with Citus/)
  for (const shards of ['0', '1025', '1.5'])
    assert.match((await easel(['distribute', '--shards', shards], {})).err, /It must be 1 to 1024/)
  if (!(await hasPlainPostgres(t))) return
  const plain = await distribute({ databaseUrl: await newDatabase('plain') })
  assert.equal(plain.code, 1)
  assert.match(
    plain.err,
    /has no Citus: install Citus 13 or newer on every node, .+ create extension citus in this database/,
  )
})

onDouble('a process that serves is named, and none starts while tables are distributed', async (double) => {
  const env = { DATABASE_URL: double.databaseUrl }
  {
    await using service = await startService({ env })
    const ran = await distribute(double)
    assert.equal(ran.code, 1)
    const words = `^the process ${process.pid} on .+ uses this database: stop every process of Easel, then run this command again$`
    assert.match(ran.err, new RegExp(words, 'm'))
    assert.equal((await service.get('/health')).status, 200)
    assert.equal((await distribute(double, '--dry-run')).code, 0)
  }
  assert.deepEqual(await double.calls(), [])
  const alone = await excludeProcesses(double.databaseUrl, 'distribute')
  try {
    await assert.rejects(startService({ env }), (error) => {
      assert.ok(error instanceof ConfigError)
      const text = `^DATABASE_URL: the process ${process.pid} on .+ changes this database \\(easel distribute\\); start when it has ended$`
      assert.match(error.message, new RegExp(text))
      return true
    })
  } finally {
    await alone.release()
  }
})

/** Returns the lines of the doctor about some subjects. */
async function doctor({ databaseUrl }: CatalogDouble, ...subjects: readonly string[]): Promise<string[]> {
  const { out } = await easel(['doctor', '--json'], { DATABASE_URL: databaseUrl, EASEL_DATA: 'memory', PORT: '1' })
  const { findings } = JSON.parse(out) as {
    findings: { subject: string; ok: boolean; text: string; remedy?: string }[]
  }
  return findings
    .filter(({ subject }) => subjects.includes(subject))
    .map(
      ({ subject, ok, text, remedy = '' }) => `${ok ? 'ok' : 'wrong'} ${subject}: ${text}${remedy && ` | ${remedy}`}`,
    )
}

onDouble('the doctor shows placement and balance of a distributed database only', async (double) => {
  const subjects = ['Placement', 'Citus node', 'Balance', 'Settings']
  assert.deepEqual(await doctor(double, ...subjects), [])
  await distribute(double)
  const count = (await tablesOf(double)).length
  const placement = `ok Placement: Citus 13.2.2: ${count} tables on 12 shards, nodes that take shards: 3`
  assert.equal((await doctor(double, 'Placement'))[0], placement)
  assert.match(
    (await doctor(double, 'Balance'))[0]!,
    /^ok Balance: node-1:5432 1 MB, node-2:5432 1 MB, node-3:5432 1 MB$/,
  )
  await double.query('update citus_double.shard_bytes set bytes = $1 where groupid = 2', [balanceBytesMin])
  assert.match(
    (await doctor(double, 'Balance'))[0]!,
    /^wrong Balance: .+: node-2:5432 has 3\.0 times the mean \| run select citus_rebalance_start/,
  )
  await double.query('create table kite (bucket int not null primary key)')
  await double.query("update citus_double.pg_dist_node set isactive = false where nodename = 'node-3'")
  assert.match(
    (await doctor(double, 'Placement'))[0]!,
    /^wrong Placement: .+; not distributed: kite \| stop every process/,
  )
  assert.match(
    (await doctor(double, 'Citus node'))[0]!,
    /^wrong Citus node: node-3:5432 is inactive.+\| start it, then run select citus_activate_node/,
  )
  await double.query('drop view citus_double.citus_shards')
  assert.match(
    (await doctor(double, 'Balance'))[0]!,
    /^wrong Balance: not read: relation "citus_shards" does not exist \|/,
  )
})

onDouble('a distributed database is not moved', async (double) => {
  await distribute(double)
  using folder = folderWith()
  const ran = await easel(['move', folder.path('moved')], { DATABASE_URL: double.databaseUrl, EASEL_DATA: 'memory' })
  assert.equal(ran.code, 1)
  assert.match(
    ran.err,
    / is distributed over several servers: bring its tables back by undistribute_table of Citus first$/m,
  )
})

onDouble('a process on shards says which settings should be others, and serves', async (double) => {
  await double.query('insert into citus_double.failing values ($1)', ['kite'])
  await distribute(double)
  const [{ name }] = (await double.query<{ name: string }>('select current_database() as name')) as [{ name: string }]
  await double.query(`alter database "${name}" set citus.recover_2pc_interval = '1min'`)
  const lines: string[] = []
  const log = pino({ level: 'warn', base: null }, { write: (line: string) => void lines.push(JSON.parse(line).msg) })
  await using service = await startService({ env: { DATABASE_URL: double.databaseUrl }, log })
  const said = (text: RegExp) =>
    assert.ok(
      lines.some((line) => text.test(line)),
      `${text}\n${lines.join('\n')}`,
    )
  said(
    /^when a node is lost during a commit, rows may stay locked for up to 60 seconds .+: set citus\.recover_2pc_interval = '10s'/,
  )
  said(/^the node node-1:5432 prepares at most 0 transactions .+: set max_prepared_transactions = \d+ /)
  const people = ['ada', 'bob', 'eve'].map((external_id) => ({ external_id, first_name: external_id }))
  assert.equal((await service.post('/users/track', { attributes: people })).status, 201)
  const answer = await service.post('/users/export/ids', {
    external_ids: ['ada', 'bob', 'eve'],
    fields_to_export: ['external_id', 'first_name'],
  })
  assert.deepEqual(
    answer.body.users.toSorted((a: { external_id: string }, b: { external_id: string }) =>
      a.external_id.localeCompare(b.external_id),
    ),
    people,
  )
})
