import assert from 'node:assert/strict'
import { backendOf } from '../../src/base/db/backends.ts'
import { isoInstant } from '../../src/base/db/column-types.ts'
import { raw, sql } from '../../src/base/db/sql.ts'
import { onBothDatabases } from '../support/databases.ts'

const everyType = sql`select
  1::int2 as int2, 2::int4 as int4, 9007199254740993::int8 as int8, 1.5::float4 as float4, 0.1::float8 as float8,
  true as bool, 'é "q" \\'::text as text, 'v'::varchar as varchar, 123.4500::numeric as numeric,
  '2026-08-01 12:00:00.123456+02'::timestamptz as at, '0099-01-01 00:00:00+00'::timestamptz as early,
  '{"a": [1, null, "x"]}'::jsonb as jsonb, '[1]'::json as json, 'null'::jsonb as jsonb_null, null::text as nothing,
  '\\x00ff10'::bytea as bytea, 'd94f3f01-6a3f-4d0c-a3f0-0a6d6c0b2f7e'::uuid as uuid, '2026-08-01'::date as date,
  array[1, null, 3]::int4[] as int4s, array[1, 9007199254740993]::int8[] as int8s, array['a', null, 'b"c']::text[] as texts,
  array['2026-08-01T00:00:00Z']::timestamptz[] as times, array['{"a": 1}', 'null']::jsonb[] as jsonbs, array[1.50]::numeric[] as numerics,
  array[true, false]::bool[] as bools, array['\\x01', '\\x']::bytea[] as byteas, array[0.5]::float8[] as floats, '{}'::int4[] as none,
  array[[1, 2], [3, 4]]::int4[] as grid`

const everyValue = {
  int2: 1,
  int4: 2,
  int8: '9007199254740993',
  float4: 1.5,
  float8: 0.1,
  bool: true,
  text: 'é "q" \\',
  varchar: 'v',
  numeric: '123.4500',
  at: new Date('2026-08-01T10:00:00.123Z'),
  early: new Date('0099-01-01T00:00:00Z'),
  jsonb: { a: [1, null, 'x'] },
  json: [1],
  jsonb_null: null,
  nothing: null,
  bytea: Buffer.from([0, 255, 16]),
  uuid: 'd94f3f01-6a3f-4d0c-a3f0-0a6d6c0b2f7e',
  date: '2026-08-01',
  int4s: [1, null, 3],
  int8s: ['1', '9007199254740993'],
  texts: ['a', null, 'b"c'],
  times: [new Date('2026-08-01T00:00:00Z')],
  jsonbs: [{ a: 1 }, null],
  numerics: ['1.50'],
  bools: [true, false],
  byteas: [Buffer.from([1]), Buffer.alloc(0)],
  floats: [0.5],
  none: [],
  grid: [
    [1, 2],
    [3, 4],
  ],
}

onBothDatabases('every column type is read as documented', async (open) => {
  const db = await open()
  const [row] = await db.query(everyType)
  assert.deepEqual(row, everyValue)
})

onBothDatabases('the text of a moment is the same as the JSON of its Date', async (open) => {
  const db = await open()
  const given = [
    '2026-08-01 12:00:00.123456+02',
    '2026-08-01 00:00:00.5+00',
    '1969-12-31 23:59:59.0009+00',
    '2026-12-31 23:59:59.999999+00',
    '1000-01-01 00:00:00+00',
    '0999-12-31 23:59:59.25+00',
    '0099-01-01 00:00:00+00',
    '9999-12-31 23:59:59+00',
    '10000-01-01 00:00:00.75+00',
  ]
  const rows = await db.query<{ at: Date; text: string }>(
    sql`select at, at::text as text from unnest(${given}::timestamptz[]) with ordinality v(at, n) order by n`,
  )
  const texts = rows.map(({ text }) => isoInstant(text))
  assert.deepEqual(
    texts,
    rows.map(({ at }) => JSON.parse(JSON.stringify(at))),
  )
  assert.deepEqual(texts.slice(0, 2), ['2026-08-01T10:00:00.123Z', '2026-08-01T00:00:00.500Z'])
})

onBothDatabases('values that were read can be written again unchanged', async (open) => {
  const db = await open()
  const time = new Date('2026-08-01T10:00:00.123Z')
  const [row] = await db.query(sql`
    select ${time}::timestamptz as time, ${Buffer.from([0, 1])}::bytea as bytes, ${'x'}::text as text, ${null}::int as none,
           ${['a', 'b"']}::text[] as texts, ${{ a: [1] }}::jsonb as json, ${true}::bool as yes, ${'-5'}::int8 as id`)
  assert.deepEqual(row, {
    time,
    bytes: Buffer.from([0, 1]),
    text: 'x',
    none: null,
    texts: ['a', 'b"'],
    json: { a: [1] },
    yes: true,
    id: '-5',
  })
})

onBothDatabases('a transaction commits when its work returns and rolls back when it throws', async (open) => {
  const db = await open()
  await db.execute('create table made (n int)')
  const answer = await db.transaction(async (tx) => {
    await tx.query(sql`insert into made values (1)`)
    return 'done'
  })
  assert.equal(answer, 'done')
  const failing = db.transaction(async (tx) => {
    await tx.query(sql`insert into made values (2)`)
    throw new Error('changed my mind')
  })
  await assert.rejects(failing, /changed my mind/)
  assert.deepEqual(await db.query(sql`select n from made`), [{ n: 1 }])
})

onBothDatabases('statements of other callers never run inside a transaction', async (open) => {
  const db = await open()
  await db.execute('create table made (n int)')
  const { promise: inserted, resolve: hasInserted } = Promise.withResolvers<void>()
  const rolledBack = db.transaction(async (tx) => {
    await tx.query(sql`insert into made values (1)`)
    hasInserted()
    await new Promise((resolve) => setTimeout(resolve, 50))
    throw new Error('rolled back')
  })
  await inserted
  const other = db.query(sql`insert into made values (2)`)
  await assert.rejects(rolledBack, /rolled back/)
  await other
  assert.deepEqual(await db.query(sql`select n from made`), [{ n: 2 }])
})

onBothDatabases('a transaction that ignores a failed statement fails at its commit', async (open) => {
  const db = await open()
  await db.execute('create table made (n int)')
  const ignoring = db.transaction(async (tx) => {
    await tx.query(sql`insert into made values (1)`)
    await assert.rejects(tx.query(sql`select 1 / 0`), { code: '22012' })
  })
  await assert.rejects(ignoring, /nothing was committed/)
  assert.deepEqual(await db.query(sql`select n from made`), [])
})

onBothDatabases('a statement after the end of its transaction is refused', async (open) => {
  const db = await open()
  let late: (() => Promise<unknown>) | undefined
  await db.transaction(async (tx) => {
    late = () => tx.query(sql`select 1`)
  })
  await assert.rejects(late!(), /after its transaction had ended/)
})

onBothDatabases('the results of statements that are sent together are in their order', async (open) => {
  const db = await open()
  await db.execute('create table made (n int)')
  const rows = await db.transaction((tx) =>
    Promise.all([
      tx.query(sql`insert into made values (${1}), (${2}) returning n`),
      tx.query(sql`update made set n = n * 10 returning n`),
      tx.query(sql`select sum(n)::int as n from made`),
    ]),
  )
  assert.deepEqual(rows, [[{ n: 1 }, { n: 2 }], [{ n: 10 }, { n: 20 }], [{ n: 30 }]])
})

onBothDatabases('settings hold for their transaction only', async (open) => {
  const db = await open()
  const read = sql`select current_setting('enable_hashjoin') as hashjoin, current_setting('enable_mergejoin') as mergejoin`
  const [before] = await db.query(read)
  const settings = ['enable_hashjoin = off', 'enable_mergejoin = off']
  assert.deepEqual(await db.transaction((tx) => tx.query(read), { settings }), [{ hashjoin: 'off', mergejoin: 'off' }])
  assert.deepEqual(await db.query(read), [before])
})

onBothDatabases('a transaction with a wrong setting fails, and does not change its session', async (open) => {
  const db = await open()
  for (let i = 0; i < 3; i++) {
    const failing = db.transaction((tx) => tx.query(sql`select 1`), { settings: ['no_such_thing = on'] })
    await assert.rejects(failing, { code: '42704' })
  }
  assert.deepEqual(await db.query(sql`select 1 as n`), [{ n: 1 }])
})

onBothDatabases('an error of the database has its code and its statement', async (open) => {
  const db = await open()
  await db.execute('create table made (n int primary key)')
  await db.query(sql`insert into made values (1)`)
  const statement = sql`insert into made values (${1})`
  await assert.rejects(db.query(statement), { code: '23505', statement: statement.text })
  assert.deepEqual(await db.query(sql`select count(*)::int as n from made`), [{ n: 1 }])
})

onBothDatabases('maintenance runs outside transactions', async (open) => {
  const db = await open()
  await db.execute('create table made (n int)')
  await db.execute('vacuum (analyze) made')
  await db.execute('checkpoint')
  await assert.rejects(db.execute('select nonsense'), { code: '42703' })
  assert.deepEqual(await db.query(sql`select 1 as n`), [{ n: 1 }])
})

onBothDatabases('a statement without a constant text runs without a name', async (open) => {
  const db = await open()
  const table = raw('pg_class')
  for (const wanted of ['workspace', 'profile', 'nothing']) {
    const found = await db.query(sql`select relname::text as name from ${table} where relname = ${wanted}`)
    assert.deepEqual(found, wanted === 'nothing' ? [] : [{ name: wanted }])
  }
})

onBothDatabases('a deadlock is resolved by running one of the two again', async (open) => {
  const db = await open()
  if (backendOf(db).sessions === 1) return
  await db.execute('create table made (id int primary key, n int); insert into made values (1, 0), (2, 0)')
  let runs = 0
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const lockBoth = (mine: number, theirs: number, done: () => void, other: Promise<void>) =>
    db.transaction(async (tx) => {
      runs++
      await tx.query(sql`update made set n = n + 1 where id = ${mine}`)
      done()
      await other
      await tx.query(sql`update made set n = n + 1 where id = ${theirs}`)
    })
  await Promise.all([lockBoth(1, 2, first.resolve, second.promise), lockBoth(2, 1, second.resolve, first.promise)])
  // There may be more runs, when the surviving transaction wakes slowly and the other one locks the same row again before.
  assert.ok(runs > 2, `${runs} runs`)
  assert.deepEqual(await db.query(sql`select n from made order by id`), [{ n: 2 }, { n: 2 }])
})
