import assert from 'node:assert/strict'
import test, { after, before, describe, type TestContext } from 'node:test'
import pg from 'pg'
import { Random } from '../../bench/random.ts'
import { systemClock } from '../../src/base/clock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { sql } from '../../src/base/db/sql.ts'
import { Failure } from '../../src/base/errors.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { type Cluster, findPostgres, startCluster, testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { long, seed } from '../sizes.ts'
import { quiet } from '../support/databases.ts'
import { type Service, spawnService, startService } from '../support/harness.ts'
import { Ledger } from './ledger.ts'
import { becomesReady, pause, summaryOf, timed, underLoad } from './load.ts'

const senders = 8
/**
 * No answer may take longer, with any fault of the database. Looking up an uncertain COMMIT alone can take ten seconds, and the machine may
 * be busy with other work.
 */
const answerMsMax = 60_000
const loadMs = long ? 400 : 150
const statementDeadlineMs = 3_000

const stops = {
  'shuts down': (cluster: Cluster) => cluster.stop(),
  crashes: (cluster: Cluster) => cluster.stopNow(),
}

// Each test mostly waits, so they run together.
describe('a database that becomes unavailable', { concurrency: 4 }, () => {
  describe('when its server ends', { concurrency: 1 }, withItsServer)

  test('the service gives up a connection that stalls under load at its deadline, and uses others', async (t) => {
    if (!(await testPostgres(t))) return
    const proxy = await startChaosProxy(await newDatabase('stall'))
    t.after(() => proxy.close())
    const env = { DATABASE_URL: proxy.url }
    await using service = await startService({ env, statementDeadlineMs, workspace: withoutExportLimit })
    await showRecovery(t, service, { name: 'stalls', away: async () => proxy.stall(), back: async () => proxy.pass() })
  })

  test('locks of a process on a lost machine are released after the deadline', async (t) => {
    if (!(await testPostgres(t))) return
    const databaseUrl = await newDatabase('vanish')
    const proxy = await startChaosProxy(databaseUrl)
    t.after(() => proxy.close())
    await using vanishing = await startService({ env: { DATABASE_URL: proxy.url }, statementDeadlineMs })
    await using staying = await startService({ env: { DATABASE_URL: databaseUrl } })
    assert.equal((await staying.post('/users/track', { attributes: [{ external_id: 'anna' }] })).status, 201)

    const holder = new pg.Client({ connectionString: databaseUrl })
    await holder.connect()
    await holder.query(`begin; select 1 from profile where external_id = 'anna' for update`)
    const lost = vanishing.post('/users/track', {
      attributes: [{ external_id: 'ben' }, { external_id: 'anna', total: { inc: 1 } }],
    })
    await waitsForLock(databaseUrl)
    proxy.hideEnds()
    proxy.stall()
    await holder.query('rollback')
    await holder.end()

    const { status, text } = await staying.post('/users/track', {
      attributes: [{ external_id: 'ben', total: { inc: 1 } }],
    })
    assert.equal(status, 201, text)
    assert.equal((await lost).status, 503)
  })

  test('a transaction that was idle beyond the deadline fails as unavailable, not as a defect', async (t) => {
    if (!(await testPostgres(t))) return
    const databaseUrl = await newDatabase('idle')
    const db = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock: systemClock(), statementDeadlineMs })
    t.after(() => db.close())
    const dawdling = db.transaction(async (tx) => {
      await tx.query(sql`select 1`)
      await pause(3 * statementDeadlineMs)
      await tx.query(sql`select 1`)
    })
    await assert.rejects(dawdling, (error) => error instanceof Failure && error.kind === 'unavailable')
  })
})

/** Tests with one server, which ends several times. */
function withItsServer(): void {
  let cluster: Cluster | undefined
  let databaseUrl: string
  before(async () => {
    if (!findPostgres()) return
    cluster = await startCluster({ durable: true })
    databaseUrl = await cluster.createDatabase('away')
  })
  after(() => cluster?.[Symbol.asyncDispose]())

  const testStopping = (title: string, body: (server: Cluster, t: TestContext) => Promise<void>) =>
    test(title, async (t) => {
      if (cluster) return body(cluster, t)
      // Skips the test, or fails in CI, where a server must be present.
      if (await testPostgres(t)) t.skip('no PostgreSQL binaries: this test stops a server of its own')
    })

  for (const [what, stop] of Object.entries(stops)) {
    const title = `requests get 503 when the database server ${what} under load, and succeed without a restart when it is back`
    testStopping(title, async (server, t) => {
      await using service = await startService({ env: { DATABASE_URL: databaseUrl }, workspace: withoutExportLimit })
      await showRecovery(t, service, { name: what, away: () => stop(server), back: () => server.start() })
    })
  }

  testStopping('a service without its database exits on SIGTERM with status 0', async (server) => {
    await using service = await spawnService({ env: { DATABASE_URL: databaseUrl } })
    assert.equal((await service.post('/users/track', { attributes: [{ external_id: 'anna' }] })).status, 201)
    await server.stopNow()
    assert.equal((await service.post('/users/track', { attributes: [{ external_id: 'anna' }] })).status, 503)
    await service.stop()
  })
}

const withoutExportLimit = { settings: { rate_limits: { export_ids: 'unlimited' } } }

type Outage = { readonly name: string; away(): Promise<void>; back(): Promise<void> }

/** Checks an outage under load: requests are refused during the outage, none is lost or applied twice, and they succeed after it. */
async function showRecovery(t: TestContext, service: Service, { name, away, back }: Outage): Promise<void> {
  t.diagnostic(`seed ${seed}`)
  const ledger = new Ledger(name.replaceAll(' ', '-'), new Random(seed))
  const send = timed((path, body) => service.post(path, body))
  await ledger.prepare(send)
  await underLoad(ledger, send, senders, async (until) => {
    await pause(loadMs)
    await away()
    await until('a request is refused', () => ledger.count('refused') > 0)
    await showAway(service)
    await back()
    const takenBefore = ledger.count('taken')
    await until('requests are accepted again', () => ledger.count('taken') > takenBefore + senders)
    await pause(loadMs)
  })
  await becomesReady(service)
  t.diagnostic(`${summaryOf(ledger, await ledger.check(send))}; slowest answer ${send.slowestMs.toFixed()} ms`)
  assert.ok(send.slowestMs < answerMsMax, `an answer took ${send.slowestMs} ms`)
}

async function showAway(service: Service): Promise<void> {
  assert.equal((await service.get('/health')).status, 200)
  const ready = await service.get('/ready')
  assert.equal(ready.status, 503)
  assert.match(ready.body.message, /^Not ready: .*database/)
  const answers = await Promise.all([
    service.post('/users/export/ids', { external_ids: ['anna'], fields_to_export: ['external_id'] }),
    service.get('/subscription/user/status?external_id=anna'),
  ])
  for (const answer of answers) {
    assert.equal(answer.status, 503, answer.text)
    assert.deepEqual(answer.body, { message: 'The database is not available' })
    assert.match(answer.headers['retry-after'] ?? '', /^[1-9]\d*$/)
  }
}

/** Waits until a statement waits for a lock. */
async function waitsForLock(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
  while ((await client.query(waiting)).rows.length === 0) await pause(20)
  await client.end()
}
