import assert from 'node:assert/strict'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { after } from 'node:test'
import { pino } from 'pino'
import { readArchive, writeArchive } from '../../src/base/db/archive.ts'
import { type Db, OutcomeUnknown } from '../../src/base/db/db.ts'
import { openDb } from '../../src/base/db/open.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { CACHE, loadTemplate } from '../../src/base/db/template.ts'
import { openUpkeep } from '../../src/base/db/upkeep.ts'
import { Failure } from '../../src/base/errors.ts'
import { long, sizes } from '../sizes.ts'
import { quiet } from '../support/databases.ts'
import { patienceMs } from '../support/eventually.ts'
import { clock, openOnDisk, runProgram, temporaryFolder } from './embedded.ts'

const unavailable = (error: unknown) => error instanceof Failure && error.kind === 'unavailable'
const isAway = (error: unknown) => unavailable(error) && (error as Failure).details.retryAfterS! > 0

const endings: (() => unknown)[] = []
after(async () => {
  for (const end of endings.reverse()) await end()
})
/** Keeps databases open for all tests of this file. */
const file = { after: (end: () => unknown) => void endings.push(end) }
const lasting = temporaryFolder(file)
const opened = new Map<string, Promise<Db>>()

/** How long its statements may take: more than a small one takes on a busy machine. */
const impatientMs = 3_000

/** Returns a database with little time for statements. Tests end its engine; it is running again before the next test gets it. */
async function impatient(): Promise<Db> {
  const db = await once('impatient', () => openOnDisk(file, temporaryFolder(file), impatientMs))
  await eventually(db)
  return db
}

/** Returns the database in `lasting`, without a deadline for statements. */
function patient(): Promise<Db> {
  return once('patient', () => openOnDisk(file, lasting, 60_000))
}

function once(name: string, open: () => Promise<Db>): Promise<Db> {
  const db = opened.get(name) ?? open()
  opened.set(name, db)
  return db
}

test('a new database has the migrations, the partitions of its weeks, and nothing else', async () => {
  const db = await impatient()
  assert.deepEqual(await db.query(sql`select 1 from installation`), [])
  assert.deepEqual(await db.query(sql`select datname::text as name from pg_database`), [{ name: 'postgres' }])
})

test('a statement that takes too long restarts the engine, with all committed data', async () => {
  const db = await impatient()
  await db.execute('create table made (n int)')
  await db.query(sql`insert into made values (1)`)
  const hanging = db.query(sql`select pg_sleep(60)`)
  const waiting = [db.query(sql`insert into made values (2)`), db.transaction((tx) => tx.query(sql`select 1`))]
  for (const caller of [hanging, ...waiting]) await assert.rejects(caller, isAway)
  await assert.rejects(db.query(sql`select 1`), isAway)
  await eventually(db)
  assert.deepEqual(await db.query(sql`select n from made`), [{ n: 1 }])
})

test('the outcome of a commit is unknown when the engine fails during it', async () => {
  const db = await impatient()
  await db.execute(`
    create table late (n int);
    create function linger() returns trigger language plpgsql as 'begin perform pg_sleep(60); return null; end';
    create constraint trigger slow after insert on late deferrable initially deferred for each row execute function linger()`)
  const committing = db.transaction((tx) => tx.query(sql`insert into late values (1)`))
  await assert.rejects(committing, OutcomeUnknown)
  await eventually(db)
  assert.deepEqual(await db.query(sql`select n from late`), [])
})

test('a transaction may have a longer deadline', async () => {
  const db = await impatient()
  await db.transaction((tx) => tx.query(sql`select pg_sleep(${(impatientMs + 500) / 1_000}::float8)`), {
    deadlineMs: 60_000,
  })
  await assert.rejects(db.query(sql`select pg_sleep(60)`), isAway)
})

test('messages of the engine are logged, without failed statements', async () => {
  const lines: string[] = []
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) })
  const db = await openDb({ dataDir: lasting, log, clock })
  await assert.rejects(db.query(sql`select 'a secret' from nowhere`))
  await db.execute('create table counted (n int); insert into counted select generate_series(1, 1000)')
  await db.close()
  assert.ok(!lines.join('').includes('a secret'))
  assert.ok(existsSync(join(lasting, 'database', 'PG_VERSION')))
})

test('a closed database opens again quickly and with all data', async (t) => {
  const before = clock.elapsed()
  const again = await patient()
  t.diagnostic(`opened in ${Math.round(clock.elapsed() - before)} ms`)
  assert.deepEqual(await again.query(sql`select count(*)::int as n from counted`), [{ n: 1000 }])
})

test('upkeep vacuums changed tables, and checkpoints a long log', async () => {
  const db = await patient()
  await db.execute(
    'create table kept (n int, filler text); insert into kept select i, repeat($$x$$, 500) from generate_series(1, 20000) i',
  )
  await db.execute('delete from kept where n > 10000')
  const walBytes = async () => {
    const [row] = await db.query<{ bytes: string }>(
      sql`select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::bigint as bytes from pg_control_checkpoint()`,
    )
    return Number(row!.bytes)
  }
  assert.ok((await walBytes()) > 5_000_000)
  await openUpkeep(db, { walBytesMax: Infinity, clock })()
  await openUpkeep(db, { walBytesMax: 5_000_000, clock })()
  assert.ok((await walBytes()) < 5_000_000)
  const [table] = await db.query(
    sql`select reltuples::int as rows, relallvisible > 0 as visible from pg_class where relname = 'kept'`,
  )
  assert.deepEqual(table, { rows: 10_000, visible: true })
})

test('an engine that cannot write its log ends at once, and is started again when it can', async () => {
  const db = await patient()
  await db.execute('create table made (n int); insert into made values (1)')
  const log = join(lasting, 'database', 'pg_wal')
  renameSync(log, `${log}.moved`)
  const writing = db.transaction(async (tx) => {
    await tx.query(sql`select pg_switch_wal()`)
    await tx.query(sql`insert into made values (2)`)
  })
  await assert.rejects(writing, (error) => isAway(error) || error instanceof OutcomeUnknown)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await assert.rejects(db.query(sql`select 1`), isAway)
  renameSync(`${log}.moved`, log)
  await eventually(db)
  assert.deepEqual(await db.query(sql`select n from made`), [{ n: 1 }])
})

test('a database in memory that failed stays unavailable, because its data is lost', async (t) => {
  const db = await openDb({ dataDir: 'memory', log: quiet, clock, statementDeadlineMs: impatientMs })
  t.after(() => db.close())
  await assert.rejects(db.query(sql`select pg_sleep(60)`), isAway)
  await new Promise((resolve) => setTimeout(resolve, 500))
  await assert.rejects(db.query(sql`select 1`), isAway)
})

test('after SIGKILL every acknowledged transaction is complete, and no other one is partial', async (t) => {
  const folder = temporaryFolder(t)
  const found = `select count(*)::int as batches, count(*) filter (where rows <> 10)::int as uneven
    from (select count(*) as rows from made group by batch) b`
  const check = ({ batches, uneven }: { batches: number; uneven: number }) => {
    assert.equal(uneven, 0)
    assert.ok(batches >= acknowledged, `${batches} of ${acknowledged}`)
  }
  let acknowledged = 0
  for (let kill = 0; kill < sizes.kills; kill++) {
    // The next process uses the database of the one before.
    const writer = runProgram(
      t,
      `const db = await openDb({ dataDir: ${JSON.stringify(folder)}, log, clock })
       await migrate(db, clock)
       await db.execute('create table if not exists made (batch int, n int)')
       const [found] = await db.query(sql\`${found}\`)
       print(JSON.stringify(found))
       const [last] = await db.query(sql\`select coalesce(max(batch), 0)::int as batch from made\`)
       for (let batch = last.batch + 1; ; batch++) {
         await db.transaction(async (tx) => {
           await tx.query(sql\`insert into made select \${batch}::int, i from generate_series(1, 10) i\`)
           await tx.query(sql\`update made set n = n where batch > \${batch}::int - 10\`)
         })
         print(batch)
       }`,
    )
    check(JSON.parse((await writer.line())!))
    for (let i = 0; i < 21 + kill * 13; i++) acknowledged = Number(await writer.line())
    await writer.kill()
  }
  const db = await openOnDisk(t, folder)
  const [last] = await db.query<{ batches: number; uneven: number }>(raw(found))
  check(last!)
})

test('a template that is missing, truncated or changed is created again', async (t) => {
  const cache = join(temporaryFolder(t), 'cache')
  // The short run uses the stored template; the next test creates a missing one.
  if (!long) writeArchive(join(cache, readdirSync(CACHE)[0]!), await loadTemplate(clock, quiet))
  const made = await loadTemplate(clock, quiet, cache)
  const file = join(cache, readdirSync(cache)[0]!)
  const good = readFileSync(file)
  assert.deepEqual(await loadTemplate(clock, quiet, cache), made)
  writeFileSync(join(cache, 'older.template'), 'x')
  for (const bad of [good.subarray(0, 1_000), Buffer.from(good).fill(7, 50_000, 50_100)]) {
    writeFileSync(file, bad)
    assert.throws(() => readArchive(file))
  }
  const anew = await loadTemplate(clock, quiet, cache)
  assert.equal(anew.length, made.length)
  assert.deepEqual(readdirSync(cache), [readdirSync(cache)[0]])
})

test('a template that cannot be stored is created for each database', async (t) => {
  const cache = join(temporaryFolder(t), 'a file')
  writeFileSync(cache, '')
  assert.ok((await loadTemplate(clock, quiet, join(cache, 'inside'))).some(({ path }) => path === 'PG_VERSION'))
})

test('a folder with other files is refused as a database', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(join(folder, 'database'))
  writeFileSync(join(folder, 'database', 'letter.txt'), 'dear reader')
  await assert.rejects(
    openDb({ dataDir: folder, log: quiet, clock }),
    /database is not empty and has no database in it/,
  )
  assert.deepEqual(readdirSync(join(folder, 'database')), ['letter.txt'])
})

/** Waits until the database answers again. */
async function eventually(db: Db): Promise<void> {
  for (const end = clock.elapsed() + patienceMs; clock.elapsed() < end; ) {
    const answered = await db.query(sql`select 1`).then(
      () => true,
      (error) => {
        assert.ok(isAway(error), String(error))
        return false
      },
    )
    if (answered) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.fail('the database was not available again in time')
}
