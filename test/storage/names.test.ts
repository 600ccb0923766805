import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import type { Sql } from '../../src/base/db/sql.ts'
import { cachedNames, findNamesById, resolveNameIds } from '../../src/workspace/names/names.ts'
import { onBothDatabases } from '../support/databases.ts'

/** Returns another handle of the database. Each handle has its own cache of names. */
function withEmptyCache(db: Db): Db {
  return { ...db }
}

onBothDatabases('a name has one number in all processes', async (open) => {
  const db = await open()
  const first = await resolveNameIds(db, 1, 'event', ['opened', 'closed', 'opened'])
  assert.deepEqual([...first.keys()].sort(), ['closed', 'opened'])
  assert.equal(new Set(first.values()).size, 2)
  assert.deepEqual(await resolveNameIds(db, 1, 'event', ['closed', 'opened']), new Map([...first].reverse()))
  const other = withEmptyCache(db)
  assert.equal(cachedNames(other, 1, 'event').get('opened'), undefined)
  const again = await resolveNameIds(other, 1, 'event', ['opened', 'moved'])
  assert.equal(again.get('opened'), first.get('opened'))
  assert.equal(cachedNames(other, 1, 'event').get('moved'), again.get('moved'))
})

onBothDatabases('kinds and workspaces have their own names', async (open) => {
  const db = await open()
  const numbers = [
    await resolveNameIds(db, 1, 'event', ['shirt']),
    await resolveNameIds(db, 1, 'product', ['shirt']),
    await resolveNameIds(db, 2, 'product', ['shirt']),
  ].map((found) => found.get('shirt'))
  assert.equal(new Set(numbers).size, 3)
})

onBothDatabases('names are found by their numbers, and an unknown number has no name', async (open) => {
  const db = await open()
  const ids = await resolveNameIds(db, 1, 'event', ['opened', 'a "quoted", {name} \\ é 😀'])
  const numbers = [...ids.values(), 999_999]
  assert.deepEqual(await findNamesById(db, numbers), new Map([...ids].map(([name, id]) => [id, name])))
  const other = withEmptyCache(db)
  assert.deepEqual((await findNamesById(other, numbers)).size, 2)
  assert.equal(cachedNames(other, 1, 'event').get('opened'), ids.get('opened'))
})

onBothDatabases('known names are found without a query', async (open) => {
  const db = await open()
  let queries = 0
  const counting = { ...db, query: (statement: Sql) => db.query(statement).finally(() => queries++) } as Db
  await resolveNameIds(counting, 1, 'event', ['opened', 'closed'])
  const before = queries
  await resolveNameIds(counting, 1, 'event', ['closed', 'opened'])
  await findNamesById(counting, [cachedNames(counting, 1, 'event').get('opened')!])
  assert.equal(queries, before)
})

onBothDatabases('processes that use the same new names at once agree on their numbers', async (open) => {
  const processes = await open.processes(3)
  const names = Array.from({ length: 200 }, (_, i) => `event ${i}`)
  const found = await Promise.all(
    processes.flatMap((db) => [
      resolveNameIds(db, 1, 'event', names),
      resolveNameIds(db, 1, 'event', names.toReversed().slice(0, 150)),
    ]),
  )
  for (const ids of found) for (const [name, id] of ids) assert.equal(id, found[0]!.get(name), name)
  assert.equal(new Set(found[0]!.values()).size, names.length)
})
