import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { systemClock } from '../../src/base/clock.ts'
import { int4Array } from '../../src/base/db/arrays.ts'
import { byShard, byShardWithItems, onEveryShard, untilFull, withinPart } from '../../src/base/db/by-shard.ts'
import type { Db } from '../../src/base/db/db.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { openDb } from '../../src/base/db/open.ts'
import { hashOfBucket, type ShardPart } from '../../src/base/db/placement.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { hasPlainPostgres } from '../support/citus-catalog.ts'
import { onAllDatabases, onBothDatabases, quiet } from '../support/databases.ts'

const bucketCount = 4_096
const half = 2 ** 31

onBothDatabases('the hash of a bucket is the one by which PostgreSQL partitions', async (open) => {
  const db = await open()
  const rows = await db.query<{ hash: number }>(sql`
    select hashint4(i) as hash from generate_series(0, ${bucketCount - 1}::int4) i order by i`)
  assert.deepEqual(
    rows.map(({ hash }) => hash),
    Array.from({ length: bucketCount }, (_, bucket) => hashOfBucket(bucket)),
  )
})

/** Makes a table of people with one row for each of these buckets. */
async function addRows(db: Db, count: number): Promise<void> {
  await db.execute('create table kite (bucket int not null primary key, taken int not null)')
  await db.query(sql`insert into kite select i, 0 from generate_series(0, ${count - 1}::int4) i`)
}

const count = 200
const items = Array.from({ length: count }, (_, bucket) => ({ bucket }))

onAllDatabases(
  'a statement about items reaches each of them once, on a database with shards in parts',
  async (open) => {
    const db = await open()
    await addRows(db, count)
    const changed = await db.transaction((tx) =>
      byShard<{ bucket: number }, { bucket: number }>(
        tx,
        items,
        (part) => sql`
      update kite k set taken = taken + 1 from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[]) w(bucket)
      where k.bucket = w.bucket ${withinPart(part, 'k')} returning k.bucket`,
      ),
    )
    assert.deepEqual(
      changed.map(({ bucket }) => bucket).sort((a, b) => a - b),
      items.map(({ bucket }) => bucket),
    )
    const [sums] = await db.query(sql`select min(taken) as least, max(taken) as most from kite`)
    assert.deepEqual(sums, { least: 1, most: 1 })
  },
)

onAllDatabases('a row of a part says which item it is about', async (open) => {
  const db = await open()
  await addRows(db, count)
  const found = await byShardWithItems<{ n: number; bucket: number }, { bucket: number }>(
    db,
    items,
    (part) => sql`
    select w.n::int4 as n, k.bucket
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[]) with ordinality w(bucket, n)
    join kite k on k.bucket = w.bucket ${withinPart(part, 'k')}`,
  )
  assert.equal(found.length, count)
  for (const { row, item } of found) assert.equal(row.bucket, item.bucket)
})

onAllDatabases('a statement about all people counts each of them once', async (open) => {
  const db = await open()
  await addRows(db, count)
  const counts = await onEveryShard<{ count: number }>(
    db,
    (part) => sql`
    select count(*)::int4 as count from kite k where true ${withinPart(part, 'k')}`,
  )
  assert.equal(
    counts.reduce((sum, each) => sum + each.count, 0),
    count,
  )
  assert.equal(counts.length, db.placement?.shards.length ?? 1)
})

onAllDatabases('rows are taken until there are enough, and none twice', async (open) => {
  const db = await open()
  await addRows(db, count)
  const want = 30
  const take = (part: ShardPart, taken: readonly unknown[]) => sql`
    update kite k set taken = 1 from (
      select o.bucket from kite o where o.taken = 0 ${withinPart(part, 'o')} limit ${want - taken.length} for update skip locked) o
    where k.bucket = o.bucket ${withinPart(part, 'k')} returning k.bucket`
  const all = new Set<number>()
  for (;;) {
    const rows = await db.transaction((tx) => untilFull<{ bucket: number }>(tx, take, (taken) => taken.length >= want))
    assert.ok(rows.length <= want)
    for (const { bucket } of rows) {
      assert.ok(!all.has(bucket))
      all.add(bucket)
    }
    if (rows.length < want) break
  }
  assert.equal(all.size, count)
})

/** Opens a PostgreSQL database that has the catalog of Citus, as far as Easel reads it. */
async function openWithCatalog(
  t: TestContext,
  ranges: readonly (readonly [number, number])[],
): Promise<Db | undefined> {
  if (!(await hasPlainPostgres(t))) return undefined
  const options = {
    dataDir: 'memory',
    databaseUrl: await newDatabase('test'),
    log: quiet,
    clock: systemClock(),
  } as const
  const plain = await openDb(options)
  await migrate(plain, options.clock)
  assert.equal(plain.placement, undefined)
  await plain.execute(
    'create table pg_dist_shard (logicalrelid regclass, shardid int8, shardminvalue text, shardmaxvalue text)',
  )
  for (const [i, range] of ranges.entries()) await addShard(plain, 102_008 + i, range)
  await plain.close()
  const db = await openDb(options)
  t.after(() => db.close())
  return db
}

async function addShard(db: Db, id: number, [low, high]: readonly [number, number]): Promise<void> {
  await db.query(sql`
    insert into pg_dist_shard values ('profile'::regclass, ${id}::int8, ${String(low)}, ${String(high)})`)
}

test('the shards are those of the catalog, in the order of their ranges', async (t) => {
  const db = await openWithCatalog(t, [
    [0, half - 1],
    [-half, -1],
  ])
  if (!db) return
  const shards = [
    { low: -half, high: -1 },
    { low: 0, high: half - 1 },
  ]
  assert.deepEqual(db.placement?.shards, shards)
  assert.deepEqual(await db.transaction(async (tx) => tx.placement?.shards), shards)
})

test('a catalog without shards of profiles is one of a database that is not distributed', async (t) => {
  const db = await openWithCatalog(t, [])
  if (db) assert.equal(await db.transaction(async (tx) => tx.placement), undefined)
})

test('each command of a begin is a text of its own, and its settings hold in the transaction only', async (t) => {
  const db = await openWithCatalog(t, [[-half, half - 1]])
  if (!db) return
  const shown = await db.transaction(
    async (tx) => [
      await tx.query(raw('show lock_timeout')),
      await tx.query(raw("select current_setting('citus.propagate_set_commands') as setting")),
      await tx.query(
        raw("select count(*)::int4 as locks from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()"),
      ),
    ],
    { settings: ["lock_timeout = '100ms'"] },
  )
  assert.deepEqual(shown, [[{ lock_timeout: '100ms' }], [{ setting: 'local' }], [{ locks: 1 }]])
  assert.deepEqual(await db.query(raw('show lock_timeout')), [{ lock_timeout: '0' }])
})

test('a transaction that is refused is run again when a shard was split, and fails when none was', async (t) => {
  const db = await openWithCatalog(t, [[-half, half - 1]])
  if (!db) return
  const refusal = raw("do $$ begin raise 'could not run distributed query' using errcode = '0A000'; end $$")
  const seen: (number | undefined)[] = []
  const refused = db.transaction(async (tx) => {
    seen.push(tx.placement?.shards.length)
    await tx.query(refusal)
  })
  await assert.rejects(refused, { code: '0A000' })
  assert.deepEqual(seen.splice(0), [1, 1])
  await db.query(sql`delete from pg_dist_shard`)
  await addShard(db, 102_100, [-half, -1])
  await addShard(db, 102_101, [0, half - 1])
  await db.transaction(async (tx) => {
    seen.push(tx.placement?.shards.length)
    if (tx.placement?.shards.length === 1) await tx.query(refusal)
  })
  // The catalog is also read again when the copy is five seconds old.
  assert.equal(seen.at(-1), 2)
})
