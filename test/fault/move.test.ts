import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { unavailable } from '../../src/base/errors.ts'
import { moveDatabase, undoMove } from '../../src/workspace/moving/move-database.ts'
import { awayMsMax, Patience } from '../../src/workspace/moving/patience.ts'
import { getWorkspace } from '../../src/workspace/settings/selected.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { testPostgres } from '../servers/postgres.ts'
import { lendDatabase } from '../servers/spare.ts'
import { seed } from '../sizes.ts'
import { canvas, message } from '../support/canvases.ts'
import { easel, typeEasel } from '../support/command-line.ts'
import { addCrowd } from '../support/crowds.ts'
import { quiet } from '../support/databases.ts'
import { databases, type Spawned, spawnService } from '../support/harness.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { everyRow } from '../support/table-rows.ts'
import { wholeWorkspace } from '../support/whole-workspace.ts'
import { temporaryFolder } from './folders.ts'

const clock = systemClock()
const random = new Random(seed)
const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here'
const people = 60
const rootSecret = 'a-root-secret-that-both-installations-have'
const env = { EASEL_CLOCK: 'virtual', EASEL_SECRET: rootSecret }

/** A canvas in which everybody waits for a day before the mail. */
const waiting = canvas('waiting', [{ id: 'rest', type: 'delay', for: 'P1D', next: 'hello' }, message('hello')])

/** Creates a database without tables. Returns its URL. */
async function emptyDatabase(name: string): Promise<string> {
  return (await testPostgres())!.createDatabase(`${name}_${randomUUID()}`)
}

/** Fills an installation with something of everything. */
async function fill(service: Spawned): Promise<void> {
  assert.equal((await service.admin('POST', '/admin/apply', { ...sendingWorkspace, canvases: [waiting] })).status, 200)
  assert.equal(
    (await service.admin('POST', '/admin/apply', { ...wholeWorkspace, workspace: { id: 'whole', name: 'Whole' } }))
      .status,
    200,
  )
  assert.equal((await service.send('POST', '/admin/demo', undefined, { key: service.adminToken })).status, 201)
  const now = new Date((await service.admin('GET', '/admin/clock')).body.now)
  const ago = (days: number) => new Date(now.getTime() - days * 86_400_000).toISOString()
  const external_ids = many(people, (i) => `p${i}`)
  const answer = await service.post('/users/track', {
    attributes: external_ids.slice(0, 25).map((external_id, i) => ({
      external_id,
      email: `${external_id}@example.com`,
      ...{ price: 0.1 + i, big: '12345678901234567890', list: ['ä', '"', '\\', '\t'], nested: { a: { b: [1, null] } } },
    })),
    // Those of a year ago are in no week of their own.
    events: external_ids.slice(0, 20).map((external_id, i) => ({ external_id, name: 'seen', time: ago(i * 20) })),
    purchases: [{ external_id: 'p0', product_id: 'x', currency: 'EUR', price: 1.25, time: ago(1) }],
  })
  assert.equal(answer.status, 201, answer.text)
  const attributes = external_ids.slice(25).map((external_id) => ({ external_id, email: `${external_id}@example.com` }))
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
  const recipients = many(50, (i) => ({ external_user_id: `p${i}` }))
  assert.equal((await service.post('/canvas/trigger/send', { canvas_id: 'waiting', recipients })).status, 201)
  await service.advance('PT1H')
}

/** Returns all rows except those that a move leaves to each database. */
function textsOf(rows: readonly { table: string; text: string }[]): string[] {
  return rows
    .filter(({ table }) => !['migration', 'database_move', 'database_move_part'].includes(table))
    .map(({ table, text }) => `${table} ${text}`)
    .toSorted()
}

async function rowsOf(options: { dataDir: string; databaseUrl?: string }): Promise<string[]> {
  const db = await openDb({ ...options, log: quiet, clock })
  try {
    return textsOf(await everyRow(db))
  } finally {
    await db.close()
  }
}

async function refusesToStart(options: Parameters<typeof spawnService>[0], why: RegExp): Promise<void> {
  await assert.rejects(
    spawnService(options).then((service) => service.stop()),
    why,
  )
}

test('an installation moves to PostgreSQL and back with every row, and a canvas goes on at its step', {
  skip,
}, async () => {
  using place = temporaryFolder()
  const [data, back] = [join(place.path, 'data'), join(place.path, 'back')]
  const DATABASE_URL = await emptyDatabase('moved')
  {
    await using service = await spawnService({ dataDir: data, env })
    await fill(service)
    const inUse = await easel(['move', DATABASE_URL], { EASEL_DATA: data })
    assert.deepEqual([inUse.code, /in use by another process/.test(inUse.err)], [1, true], inUse.err)
    await service.stop()
  }
  const before = await rowsOf({ dataDir: data })
  const moved = await typeEasel(['move', DATABASE_URL], { EASEL_DATA: data })
  assert.equal(moved.code, 0, moved.err)
  assert.match(
    moved.err,
    /^Moved to postgres:.*: [\d,]+ rows of \d+ tables are there, and [\d,]+ of them were compared\.$/m,
  )
  assert.deepEqual(await rowsOf({ dataDir: data, databaseUrl: DATABASE_URL }), before)
  await refusesToStart({ dataDir: data, env }, /was moved to postgres:.*move --undo/)
  const again = await easel(['move', DATABASE_URL], { EASEL_DATA: data })
  assert.match(again.err, /has something in it/)
  {
    await using service = await spawnService({ dataDir: data, env: { ...env, DATABASE_URL } })
    const inUse = await easel(['move', back], { EASEL_DATA: data, DATABASE_URL })
    assert.match(inUse.err, /a server uses postgres:.*stop all its processes first/)
    // The refused move has marked nothing.
    assert.equal((await service.admin('GET', '/admin/inbox')).body.messages.length, 0)
    const { body } = await service.post('/users/export/ids', {
      external_ids: ['p7'],
      fields_to_export: ['custom_attributes'],
    })
    assert.deepEqual(body.users[0].custom_attributes.list, ['ä', '"', '\\', '\t'])
    await service.stop()
  }
  const middle = await rowsOf({ dataDir: data, databaseUrl: DATABASE_URL })
  const returned = await typeEasel(['move', back], { EASEL_DATA: data, DATABASE_URL })
  assert.equal(returned.code, 0, returned.err)
  assert.deepEqual(await rowsOf({ dataDir: back }), middle)
  const undone = await easel(['move', '--undo'], { EASEL_DATA: data })
  assert.deepEqual([undone.code, /starts on .*data again\. Remove postgres:/.test(undone.err)], [0, true], undone.err)
  assert.match((await easel(['move', '--undo'], { EASEL_DATA: back })).err, /was not moved: there is nothing to undo/)
  await refusesToStart({ dataDir: data, env: { ...env, DATABASE_URL } }, /was moved to .*back/)
  await using service = await spawnService({ dataDir: back, env })
  await service.advance('P1D')
  const { messages } = (await service.admin('GET', '/admin/inbox?limit=100')).body
  assert.equal(messages.length, 50, 'everybody who waited gets the mail once')
})

/** A database in which a transaction that is due fails: before its commit, or after it, so that the caller does not know. */
function failing(db: Db, isDue: () => boolean): Db {
  return {
    ...db,
    async transaction(work, options) {
      if (!isDue()) return db.transaction(work, options)
      const isCommitted = random.below(2) === 0
      await db.transaction(async (tx) => {
        await work(tx)
        if (!isCommitted) throw new Error('interrupted')
      }, options)
      throw new Error('interrupted')
    },
  }
}

test('an interrupted move goes on where it stopped, and nothing starts on either database meanwhile', {
  skip,
}, async (t) => {
  const { db } = await lendDatabase('pglite')
  t.after(() => db.close())
  await bootstrap(db, clock, {})
  const { workspace_id } = await getWorkspace(db)
  await addCrowd(db, workspace_id, 0, 300)
  const before = textsOf(await everyRow(db))
  const databaseUrl = await emptyDatabase('interrupted')
  const other = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock })
  t.after(() => other.close())
  const source = { db, name: 'here' }
  let left = 1
  let interruptions = 0
  const target = { db: failing(other, () => --left === 0), name: 'there' }

  // Before both databases are marked, an interruption leaves the source as it was.
  await assert.rejects(moveDatabase(source, target, { clock }), /^Error: interrupted$/)
  await migrate(db, clock)
  await other.execute('drop schema public cascade; create schema public')
  await migrate(other, clock)
  for (;;) {
    left = interruptions < 8 ? 2 + random.below(20) : -1
    const moved = await moveDatabase(source, target, { clock, pageBytes: 8192 }).catch((error: Error) => error)
    if (!(moved instanceof Error)) {
      assert.ok(moved.isContinued)
      break
    }
    assert.equal(moved.message, 'interrupted')
    interruptions++
    await assert.rejects(migrate(db, clock), /is being moved to there .*move --undo/)
    await assert.rejects(migrate(other, clock), /not complete: it is being filled from here/)
  }
  assert.equal(interruptions, 8)
  assert.deepEqual(textsOf(await everyRow(other)), before)
  await migrate(other, clock)
  await assert.rejects(migrate(db, clock), /was moved to there .*move --undo/)
  await assert.rejects(
    moveDatabase(source, { ...target, name: 'elsewhere' }, { clock }),
    /elsewhere has something in it/,
  )
  await undoMove(source)
  await migrate(db, clock)
  await assert.rejects(undoMove(source), /was not moved/)
})

test('a copy that differs is not taken for complete', { skip }, async (t) => {
  const { db } = await lendDatabase('pglite')
  t.after(() => db.close())
  await bootstrap(db, clock, {})
  const { workspace_id } = await getWorkspace(db)
  await addCrowd(db, workspace_id, 0, 20)
  const changes = {
    'a row is missing': 'delete from profile where ctid in (select ctid from profile limit 1)',
    'a value is another one': `update profile set country = 'NO' where ctid in (select ctid from profile limit 1)`,
  }
  for (const [what, change] of Object.entries(changes)) {
    const databaseUrl = await emptyDatabase('differs')
    const other = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock })
    const spoiled: Db = {
      ...other,
      // The sequences are set when everything is copied.
      async transaction(work, options) {
        const result = await other.transaction(work, options)
        if (options === undefined) await other.execute(change)
        return result
      },
    }
    const moving = moveDatabase({ db, name: 'here' }, { db: spoiled, name: 'there' }, { clock })
    await assert.rejects(moving, /the move is not complete: (?:rows of )?profile /, what)
    await assert.rejects(migrate(db, clock), /is being moved/, what)
    await undoMove({ db, name: 'here' })
    await other.close()
  }
})

test('a move waits for a database that is away, says so once, and goes on by itself with every row', {
  skip,
}, async () => {
  // The last one is closed first: the proxy waits for its connections.
  await using opened = new AsyncDisposableStack()
  const { db } = await lendDatabase('pglite')
  opened.defer(() => db.close())
  await bootstrap(db, clock, {})
  const { workspace_id } = await getWorkspace(db)
  await addCrowd(db, workspace_id, 0, 300)
  const before = textsOf(await everyRow(db))
  const databaseUrl = await emptyDatabase('away')
  const proxy = await startChaosProxy(databaseUrl)
  opened.defer(() => proxy.close())
  const other = await openDb({ dataDir: 'memory', databaseUrl: proxy.url, log: quiet, clock })
  opened.defer(() => other.close())
  const said: string[] = []
  let steps = 0
  let refused = 0
  const troubles = [
    () => proxy.cutBeforeCommit(),
    () => proxy.cutAfterCommit(),
    () => proxy.refuse(),
    () => proxy.cutBeforeCommit(),
  ]
  const everyFewSteps = 3
  await moveDatabase(
    { db, name: 'here' },
    { db: other, name: 'there' },
    {
      clock,
      pageBytes: 8192,
      onProgress: () => {
        if (++steps % everyFewSteps === 0) troubles.shift()?.()
      },
      onAway: (error) => void said.push(error.message),
      onBack: () => void said.push('back'),
      async pause() {
        // The third trouble lasts for a while.
        if (++refused % 4 === 0) proxy.pass()
      },
    },
  )
  assert.equal(troubles.length, 0)
  assert.ok(said.length >= 8, said.join())
  for (const [i, text] of said.entries()) assert.equal(text === 'back', i % 2 === 1, said.join())
  const copy = await openDb({ dataDir: 'memory', databaseUrl, log: quiet, clock })
  opened.defer(() => copy.close())
  assert.deepEqual(textsOf(await everyRow(copy)), before)
  await migrate(copy, clock)
})

test('a move waits for ten minutes from the last progress, and no longer', async () => {
  const away = unavailable('The database is not available')
  for (const [lastedMs, isWaitedFor] of [
    [awayMsMax - 1, true],
    [awayMsMax, false],
    [awayMsMax + 1, false],
  ] as const) {
    let nowMs = 0
    const said: string[] = []
    const patience = new Patience({
      clock: { elapsed: () => nowMs },
      onAway: () => void said.push('away'),
      onBack: () => void said.push('back'),
      async pause() {
        nowMs = lastedMs
      },
    })
    let tries = 0
    const lasting = patience.run(async () => {
      // It answers after the second failure, when that is waited for.
      if (++tries <= 2) throw away
      return tries
    })
    if (isWaitedFor) assert.equal(await lasting, 3)
    else await assert.rejects(lasting, away)
    assert.deepEqual(said, isWaitedFor ? ['away', 'back'] : ['away'])
  }
  const patience = new Patience({ clock: { elapsed: () => 0 } })
  await assert.rejects(
    patience.run(async () => {
      throw new TypeError('a defect')
    }),
    TypeError,
  )
})
