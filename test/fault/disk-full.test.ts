import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import test, { after, before, describe, type TestContext } from 'node:test'
import pg from 'pg'
import { Random } from '../../bench/random.ts'
import { systemClock } from '../../src/base/clock.ts'
import { openDb } from '../../src/base/db/open.ts'
import { type Cluster, startCluster } from '../servers/postgres.ts'
import { seed, sizes } from '../sizes.ts'
import { quiet } from '../support/databases.ts'
import { type Database, databases, type Service, startService } from '../support/harness.ts'
import { event, many } from '../support/people.ts'
import { temporaryFolder } from './folders.ts'
import { Ledger, type Send } from './ledger.ts'
import { becomesReady, pause, summaryOf, timed, underLoad } from './load.ts'
import { type SmallDisk, smallDiskMissing, toSmallDisk } from './small-disk.ts'

const senders = 4
const diskBytes = 160 * 1_048_576
/** The WAL reserves space. What `flood` writes until that space is used stays in the tables. */
const floodBytesMax = 64 * 1_048_576
const diskBytesOf = { tables: diskBytes + sizes.disksFilled * floodBytesMax, WAL: diskBytes }
const statementDeadlineMs = 3_000
const answerMsMax = 30_000
const refusedMin = 20
/** Fills the remaining space: the rest of a WAL segment, the free pages of a table. */
const floodEvents = 40
const noisePieces = 200

const missing = smallDiskMissing()
const folders = { tables: 'base', WAL: 'pg_wal' }

// Each test mostly waits, so they run together.
describe('a full disk', { concurrency: 2 }, () => {
  for (const database of databases) describe(`of ${database}`, { concurrency: 1 }, () => testsOn(database))
})

function testsOn(database: Database): void {
  let place: Place | undefined
  before(async () => {
    if (!missing) place = await (database === 'pglite' ? embedded() : onServer())
  })
  after(() => place?.[Symbol.asyncDispose]())

  for (const what of Object.keys(folders) as What[]) {
    test(`under the ${what} causes refusals with 503 and no loss, and free space ends them (${database})`, async (t) => {
      if (missing && process.env.CI === 'true' && process.getuid?.() === 0) assert.fail(missing)
      if (missing) return t.skip(missing)
      await showFull(t, place!, what)
    })
  }
}

type What = keyof typeof folders

type Place = AsyncDisposable & {
  service: Service
  disks: Readonly<Record<What, SmallDisk>>
  /** Does what a supervisor does for a database server. An embedded database needs nothing. */
  keepUp(): Promise<void>
}

async function embedded(): Promise<Place> {
  await using stack = new AsyncDisposableStack()
  const { path: dataDir } = stack.use(temporaryFolder())
  const clock = systemClock()
  const db = await openDb({ dataDir, log: quiet, clock })
  await db.close()
  const disks = disksIn(join(dataDir, 'database'), stack)
  const service = stack.use(
    await startService({ env: { EASEL_DATA: dataDir }, statementDeadlineMs, workspace: withoutExportLimit }),
  )
  const kept = stack.move()
  return { service, disks, keepUp: async () => {}, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function onServer(): Promise<Place> {
  await using stack = new AsyncDisposableStack()
  const cluster = stack.use(
    await startCluster({ durable: true, settings: { max_wal_size: '64MB', min_wal_size: '32MB' } }),
  )
  const DATABASE_URL = await cluster.createDatabase('full')
  const folder = await ask(DATABASE_URL, 'show data_directory')
  await cluster.stop()
  const disks = disksIn(folder, stack)
  await cluster.start()
  const service = stack.use(
    await startService({ env: { DATABASE_URL }, statementDeadlineMs, workspace: withoutExportLimit }),
  )
  const kept = stack.move()
  return {
    service,
    disks,
    keepUp: () => keepRunning(cluster, DATABASE_URL),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  }
}

/** A disk for each of the folders of a database. */
function disksIn(folder: string, stack: AsyncDisposableStack): Place['disks'] {
  const diskOf = (what: What) => stack.use(toSmallDisk(join(folder, folders[what]), diskBytesOf[what]))
  return { tables: diskOf('tables'), WAL: diskOf('WAL') }
}

/** A server without space for its WAL ends, and its supervisor starts it again. */
async function keepRunning(cluster: Cluster, databaseUrl: string): Promise<void> {
  const isUp = await ask(databaseUrl, 'select 1').then(
    () => true,
    (error) => error.code !== 'ECONNREFUSED',
  )
  if (!isUp) await cluster.start().catch(() => {})
}

async function ask(databaseUrl: string, question: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query({ text: question, rowMode: 'array' }).finally(() => client.end())
  return rows[0]![0]
}

const withoutExportLimit = { settings: { rate_limits: { export_ids: 'unlimited' } } }

async function showFull(t: TestContext, { service, disks, keepUp }: Place, what: What): Promise<void> {
  const disk = disks[what]
  t.diagnostic(`seed ${seed}`)
  const chance = new Random(seed)
  const send = timed((path, body) => service.post(path, body))
  for (let round = 0; round < sizes.disksFilled; round++) {
    const ledger = new Ledger(`${what.toLowerCase()}${round}`, chance)
    await ledger.prepare(send)
    await underLoad(ledger, send, senders, async (until) => {
      await until('requests are taken', () => ledger.count('taken') > senders)

      disk.fill()
      let refusedBefore = 0
      await until('requests are refused', async () => {
        const refused = ledger.count('refused')
        if (refused === refusedBefore) await flood(send)
        refusedBefore = refused
        return refused >= refusedMin
      })
      assert.equal((await service.get('/health')).status, 200)

      disk.empty()
      const takenBefore = ledger.count('taken')
      await until('requests are accepted again', async () => {
        await keepUp()
        await pause(100)
        return ledger.count('taken') > takenBefore + senders
      })
    })
    await becomesReady(service)
    t.diagnostic(`${summaryOf(ledger, await ledger.check(send))}; slowest answer so far ${send.slowestMs.toFixed()} ms`)
  }
  assert.ok(send.slowestMs < answerMsMax, `an answer took ${send.slowestMs} ms`)
}

/** Inserts random rows, which the database cannot compress. Consecutive rows may be equal. */
const noise = Object.fromEntries(many(noisePieces, (i) => [`noise ${i}`, randomBytes(180).toString('base64')]))
const events = many(floodEvents, () => event({ external_id: 'flood' }, { properties: noise }))
const floodText = JSON.stringify({ events })

async function flood(send: Send): Promise<void> {
  const { status, text } = await send('/users/track', floodText)
  assert.ok(status === 201 || status === 503, text)
}
