import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test, { type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { type Db, OutcomeUnknown } from '../../src/base/db/db.ts'
import { openDb } from '../../src/base/db/open.ts'
import { sql } from '../../src/base/db/sql.ts'
import { Failure } from '../../src/base/errors.ts'
import { type ChaosProxy, startChaosProxy } from '../servers/chaos-proxy.ts'
import { findPostgres, startCluster, testPostgres } from '../servers/postgres.ts'
import { quiet } from '../support/databases.ts'

const clock = systemClock()
const isAway = (error: unknown) =>
  error instanceof Failure && error.kind === 'unavailable' && error.details.retryAfterS! > 0

async function openAt(t: TestContext, databaseUrl: string, statementDeadlineMs = 10_000): Promise<Db> {
  const db = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock, statementDeadlineMs })
  t.after(() => db.close())
  return db
}

/** Creates a database with an empty table behind a proxy that can fail; `direct` connects without the proxy. */
async function behindProxy(
  t: TestContext,
  deadlineMs?: number,
): Promise<{ db: Db; direct: Db; proxy: ChaosProxy } | undefined> {
  const postgres = await testPostgres(t)
  if (!postgres) return undefined
  const url = await postgres.createDatabase(`test_${randomUUID()}`)
  const proxy = await startChaosProxy(url)
  t.after(() => proxy.close())
  const [db, direct] = [await openAt(t, proxy.url, deadlineMs), await openAt(t, url)]
  await direct.execute('create table made (n int)')
  return { db, direct, proxy }
}

const insertOne = (db: Db) => db.transaction((tx) => tx.query(sql`insert into made values (1)`))
const countMade = async (db: Db) => (await db.query<{ n: number }>(sql`select count(*)::int as n from made`))[0]!.n

test('the outcome is unknown when the connection is lost before COMMIT arrives, and nothing happened', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  server.proxy.cutBeforeCommit()
  await assert.rejects(insertOne(server.db), OutcomeUnknown)
  assert.equal(await countMade(server.direct), 0)
  await insertOne(server.db)
  assert.equal(await countMade(server.db), 1)
})

test('the outcome is unknown when the connection is lost after COMMIT arrived, and it happened', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  server.proxy.cutAfterCommit()
  await assert.rejects(insertOne(server.db), OutcomeUnknown)
  assert.equal(await countMade(server.direct), 1)
  assert.equal(await countMade(server.db), 1)
})

test('a connection that is lost inside a transaction is unavailable, not unknown', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  const cutShort = server.db.transaction(async (tx) => {
    await tx.query(sql`insert into made values (1)`)
    server.proxy.cut()
    await tx.query(sql`insert into made values (2)`)
  })
  await assert.rejects(cutShort, isAway)
  assert.equal(await countMade(server.direct), 0)
})

test('a server that stops answering is abandoned at the deadline, and used again when it answers', async (t) => {
  const server = await behindProxy(t, 300)
  if (!server) return
  server.proxy.stall()
  await assert.rejects(server.db.query(sql`select 1`), isAway)
  server.proxy.pass()
  assert.equal(await countMade(server.db), 0)
})

test('a server that refuses connections is unavailable until it accepts them', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  server.proxy.refuse()
  await eventually(() => assert.rejects(server.db.query(sql`select 1`), isAway))
  await assert.rejects(insertOne(server.db), isAway)
  server.proxy.pass()
  assert.equal(await countMade(server.db), 0)
})

test('connections that died while idle are replaced', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  await Promise.all(Array.from({ length: 5 }, () => server.db.query(sql`select pg_sleep(0.05)`)))
  await server.direct.query(sql`
    select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`)
  await eventually(async () => assert.equal(await countMade(server.db), 0))
})

test('a statement that takes too long is cancelled by the server, and its session stays usable', async (t) => {
  const server = await behindProxy(t, 300)
  if (!server) return
  await assert.rejects(server.db.query(sql`select pg_sleep(60)`), isAway)
  await server.db.transaction((tx) => tx.query(sql`select pg_sleep(0.5)`), { deadlineMs: 5_000 })
  await server.db.execute('select pg_sleep(0.5)')
  await assert.rejects(server.db.query(sql`select pg_sleep(60)`), isAway)
})

test('callers wait for a connection for a limited time', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  const { promise: over, resolve: finish } = Promise.withResolvers<void>()
  const busy = Array.from({ length: 10 }, () => server.db.transaction(() => over))
  await assert.rejects(server.db.query(sql`select 1`), isAway)
  finish()
  await Promise.all(busy)
  assert.equal(await countMade(server.db), 0)
})

test('a session has time zone UTC and the name of Easel, whatever the settings of the database', async (t) => {
  const server = await behindProxy(t)
  if (!server) return
  const name = await nameOf(server.direct)
  await server.direct.execute(
    `alter database "${name}" set timezone = 'Asia/Tokyo'; alter database "${name}" set datestyle = 'German'`,
  )
  const db = await openAt(t, server.proxy.url)
  const [row] = await db.query(sql`
    select '2026-08-01T00:00:00Z'::timestamptz as time, current_setting('application_name') as application`)
  assert.deepEqual(row, { time: new Date('2026-08-01T00:00:00Z'), application: 'easel' })
})

test('the error has the message of a server that refuses the connection', async (t) => {
  const postgres = await testPostgres(t)
  if (!postgres) return
  await assert.rejects(openAt(t, postgres.url('no_such_database')), { code: '3D000' })
})

test('the service resumes after a crash of the server, with all committed data', async (t) => {
  if (!findPostgres()) return t.skip('no PostgreSQL binaries')
  await using cluster = await startCluster({ durable: true })
  const db = await openAt(t, await cluster.createDatabase('crashing'))
  await db.execute('create table made (n int)')
  await insertOne(db)
  await cluster.stopNow()
  await assert.rejects(db.query(sql`select 1`), isAway)
  await assert.rejects(insertOne(db), isAway)
  await cluster.start()
  await eventually(async () => assert.equal(await countMade(db), 1))
})

async function nameOf(db: Db): Promise<string> {
  const [row] = await db.query<{ name: string }>(sql`select current_database()::text as name`)
  return row!.name
}

/** Waits until a condition holds, for at most five seconds. */
async function eventually(holds: () => Promise<void>): Promise<void> {
  for (const end = clock.elapsed() + 5_000; ; ) {
    const failure = await holds().then(
      () => undefined,
      (error: unknown) => error,
    )
    if (!failure) return
    if (clock.elapsed() > end) throw failure
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
