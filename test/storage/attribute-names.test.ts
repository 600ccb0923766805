import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { readMigrations } from '../../src/base/db/migrate.ts'
import { raw, type Sql, sql } from '../../src/base/db/sql.ts'
import { countAttributeNames, listAttributeNames } from '../../src/people/profile/attribute-name-store.ts'
import {
  attributeNamesMax,
  keepAttributeNames,
  keepAttributeNamesWithin,
  unknownAttributes,
} from '../../src/people/profile/attribute-names.ts'
import { typeBits } from '../../src/people/profile/attribute-types.ts'
import { blankChange } from '../../src/people/profile/attributes.ts'
import { onBothDatabases } from '../support/databases.ts'
import { many } from '../support/people.ts'
import { TestInstance } from '../support/signals.ts'

const { string, number, boolean } = typeBits

/** Returns a change that sets these names to a text. */
const setting = (...names: string[]) => [
  { change: { ...blankChange(), custom: Object.fromEntries(names.map((name) => [name, 'x'])) } },
]

const texts = (names: readonly string[]) => new Map(names.map((name) => [name, string]))

const rowsOf = async (db: Db, workspace_id: number) =>
  (await listAttributeNames(db, workspace_id, { limit: 100, offset: 0 })).map(({ name, types }) => [name, types])

/** Returns another handle of the database. Each handle has its own cache. */
const withEmptyCache = (db: Db): Db => ({ ...db })

onBothDatabases('a workspace keeps 10,000 names, and those that it has still get more types', async (open) => {
  const db = await open()
  const names = many(attributeNamesMax - 1, (i) => `name ${i}`)
  await keepAttributeNames(db, 1, texts(names))
  assert.equal(await countAttributeNames(db, 1), attributeNamesMax - 1)
  assert.deepEqual(unknownAttributes(db, 1, setting('name 0', 'z')), texts(['z']))
  await keepAttributeNames(db, 1, texts(['z']))
  assert.equal(await countAttributeNames(db, 1), attributeNamesMax)
  assert.deepEqual(unknownAttributes(db, 1, setting('late')), texts(['late']))
  await keepAttributeNames(db, 1, new Map([...texts(['late']), ['z', number]]))
  assert.equal(await countAttributeNames(db, 1), attributeNamesMax)
  const last = await listAttributeNames(db, 1, { limit: 2, offset: attributeNamesMax - 1 })
  assert.deepEqual(last, [{ name: 'z', types: string | number }])
  // Nothing is looked up again for what has no place.
  assert.equal(unknownAttributes(db, 1, setting('late', 'later')), undefined)
  // Other workspaces have a place of their own, and so has a process that has just started.
  await keepAttributeNames(db, 2, texts(['late']))
  assert.deepEqual(await rowsOf(db, 2), [['late', string]])
  const other = withEmptyCache(db)
  await keepAttributeNames(other, 1, new Map([['late', string], ...names.map((name) => [name, boolean] as const)]))
  assert.equal(await countAttributeNames(db, 1), attributeNamesMax)
  const types = new Set(
    (await listAttributeNames(db, 1, { limit: attributeNamesMax, offset: 0 })).map((row) => row.types),
  )
  assert.deepEqual([...types].sort(), [string | boolean, string | number].sort())
})

onBothDatabases('known names cost no statement', async (open) => {
  const db = await open()
  let queries = 0
  const counting = { ...db, query: (statement: Sql) => db.query(statement).finally(() => queries++) } as Db
  await keepAttributeNames(counting, 1, texts(['a', 'b']))
  assert.equal(queries, 2)
  assert.equal(unknownAttributes(counting, 1, setting('b', 'a')), undefined)
  const other = withEmptyCache(db)
  assert.deepEqual(unknownAttributes(other, 1, setting('b', 'a')), texts(['b', 'a']))
  await keepAttributeNames(other, 1, texts(['b', 'a']))
  assert.equal(unknownAttributes(other, 1, setting('b', 'a')), undefined)
})

onBothDatabases('names of a transaction that is rolled back are stored again', async (open) => {
  const db = await open()
  const keep = (tx: Tx, ...names: string[]) => keepAttributeNamesWithin(tx, db, 1, texts(names))
  const undone = db.transaction(async (tx) => {
    await keep(tx, 'a')
    await keep(tx, 'a', 'b')
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.deepEqual(await rowsOf(db, 1), [])
  assert.deepEqual(unknownAttributes(db, 1, setting('a', 'b')), texts(['a', 'b']))
  for (let i = 0; i < 2; i++) await db.transaction((tx) => keep(tx, 'a', 'b'))
  assert.deepEqual(await rowsOf(db, 1), [
    ['a', string],
    ['b', string],
  ])
  assert.equal(unknownAttributes(db, 1, setting('a', 'b')), undefined)
})

onBothDatabases('processes that use the same new names at once keep all of their types', async (open) => {
  const processes = await open.processes(3)
  const names = many(200, (i) => `name ${i}`)
  await Promise.all(
    processes.flatMap((db) => [
      keepAttributeNames(db, 1, texts(names)),
      keepAttributeNames(db, 1, new Map(names.toReversed().map((name) => [name, number]))),
    ]),
  )
  const rows = await listAttributeNames(processes[0]!, 1, { limit: 300, offset: 0 })
  assert.deepEqual([rows.length, new Set(rows.map(({ types }) => types))], [200, new Set([string | number])])
})

onBothDatabases(
  'a flush with new names is not the victim of a canvas that stores them in another order',
  async (open) => {
    const [db, other] = await open.processes(2)
    // The embedded database runs one transaction at a time.
    if (!other) return
    const instance = new TestInstance(db!)
    await instance.begin()
    const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    const { tracked } = await other.transaction(
      async (tx) => {
        await keepAttributeNamesWithin(tx, other, 1, texts(['b']))
        const tracked = instance.track({ attributes: [{ external_id: 'ann', a: 'x', b: 'x' }] })
        tracked.catch(() => undefined)
        while ((await db!.query(waiting)).length === 0) await pause(5)
        await keepAttributeNamesWithin(tx, other, 1, texts(['a']))
        return { tracked }
      },
      // The statement of the flush notices the deadlock first.
      { settings: ["deadlock_timeout = '10s'"] },
    )
    await tracked
    assert.deepEqual(await rowsOf(db!, 1), [
      ['a', string],
      ['b', string],
    ])
  },
)

onBothDatabases('attributes of before are named by the migration', async (open) => {
  const db = await open()
  const migration = readMigrations().find(({ name }) => name === '0036_attribute_names.sql')!
  const custom = {
    ...{ text: 'x', moment: '2026-01-02', flag: true, count: 7, list: ['a', 1], empty: [], nested: { a: [{ b: 1 }] } },
    ...{ objects: [1, { a: 1 }], mixed: 'x' },
  }
  const [text, later] = [JSON.stringify(custom), JSON.stringify({ mixed: 1.5, moment: 'x' })]
  await db.execute(`
    drop table attribute_name;
    insert into profile (profile_id, bucket, workspace_id, random_bucket, custom, typed, merged_bucket, merged_into, created_at, updated_at)
    values
      (1, 1, 1, 1, '${text}', '{"moment": 1767312000000}', null, null, '2026-01-01Z', '2026-01-01Z'),
      (2, 1, 1, 1, '${later}', '{}', null, null, '2026-01-01Z', '2026-01-01Z'),
      (3, 1, 1, 1, '{"merged": 1}', '{}', 1, 1, '2026-01-01Z', '2026-01-01Z'),
      (4, 1, 2, 1, '{"other": 1}', '{}', null, null, '2026-01-01Z', '2026-01-01Z');
    insert into profile (profile_id, bucket, workspace_id, random_bucket, custom, created_at, updated_at)
    select 10 + n, 2, 3, 1, jsonb_build_object('name ' || n, n, 'usual', 'x'), '2026-01-01Z', '2026-01-01Z'
    from generate_series(1, ${attributeNamesMax}) n`)
  await db.transaction(async (tx) => {
    for (const statement of migration.text.split(/;$/m)) if (statement.trim() !== '') await tx.query(raw(statement))
  })
  const { array, object, objectArray, time } = typeBits
  assert.deepEqual(
    Object.fromEntries(await rowsOf(db, 1)),
    Object.fromEntries(
      Object.entries({
        ...{ count: number, empty: array, flag: boolean, list: array, mixed: number | string, moment: time | string },
        ...{ nested: object, objects: objectArray, text: string },
      }),
    ),
  )
  assert.deepEqual(await rowsOf(db, 2), [['other', number]])
  assert.equal(await countAttributeNames(db, 3), attributeNamesMax)
  const [last] = await listAttributeNames(db, 3, { limit: 1, offset: attributeNamesMax - 1 })
  assert.deepEqual(last, { name: 'usual', types: string })
})
