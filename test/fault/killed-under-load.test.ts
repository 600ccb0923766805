import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { Chance } from '../../bench/chance.ts'
import { type Database, databases, type Spawned, spawnService } from '../harness.ts'
import { startCluster } from '../servers/postgres.ts'
import { seed, sizes } from '../sizes.ts'
import { temporaryFolder } from './folders.ts'
import { Ledger, type Send } from './ledger.ts'

const senders = 16
/** The kill comes within this time after the first acknowledgement. */
const loadMsMax = 1_500

for (const database of databases) {
  test(`${sizes.kills} kills under load lose no acknowledged update, double none and leave none half done (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Chance(seed)
    await using place = await placeFor(database)
    const ledgers: Ledger[] = []
    let service = await place.start()
    const { status, text } = await service.post('/admin/apply', withoutExportLimit, { key: service.adminToken })
    assert.ok(status < 300, text)
    for (let kill = 0; kill < sizes.kills; kill++) {
      const ledger = new Ledger(`k${kill}`, chance)
      ledgers.push(ledger)
      await ledger.prepare(sendTo(service))
      await loadUntilKilled(ledger, service, chance.below(loadMsMax))
      await place.settled()
      service = await place.start()
      const present = await ledger.check(sendTo(service))
      t.diagnostic(`kill ${kill}: ${ledger.size} requests, ${ledger.count('taken')} acknowledged, ${present} there`)
    }
    for (const ledger of ledgers) await ledger.check(sendTo(service))
    await service.stop()
  })
}

const withoutExportLimit = { settings: { rate_limits: { export_ids: 'unlimited' } } }

function sendTo(service: Spawned): Send {
  return (path, body) => service.post(path, body)
}

async function loadUntilKilled(ledger: Ledger, service: Spawned, afterMs: number): Promise<void> {
  const stop = new AbortController()
  const untilItDies: typeof service.post = (path, body) => service.post(path, body).catch(() => undefined as never)
  const loading = ledger.load(untilItDies, senders, stop.signal)
  while (ledger.count('taken') === 0) await new Promise((resume) => setTimeout(resume, 1))
  await new Promise((resume) => setTimeout(resume, afterMs))
  const { signal } = await service.kill('SIGKILL')
  stop.abort()
  await loading
  assert.equal(signal, 'SIGKILL')
}

type Place = AsyncDisposable & {
  start(): Promise<Spawned>
  /** Resolves when nothing of a killed process is at work any more. */
  settled(): Promise<void>
}

async function placeFor(database: Database): Promise<Place> {
  const stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(temporaryFolder())
  if (database === 'pglite') {
    const start = async () => stack.use(await spawnService({ dataDir }))
    return { start, settled: async () => {}, [Symbol.asyncDispose]: () => stack.disposeAsync() }
  }
  const cluster = stack.use(await startCluster({ durable: true }))
  const DATABASE_URL = await cluster.createDatabase('killed')
  return {
    start: async () => stack.use(await spawnService({ dataDir, env: { DATABASE_URL } })),
    settled: () => sessionsEnd(DATABASE_URL),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}

/** The server may still be at a COMMIT whose sender is dead; whoever looks before it has ended sees a state that will change. */
async function sessionsEnd(databaseUrl: string): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const left = `select 1 from pg_stat_activity where application_name = 'easel' and datname = current_database()`
  while ((await client.query(left)).rows.length > 0) await new Promise((resume) => setTimeout(resume, 20))
  await client.end()
}
