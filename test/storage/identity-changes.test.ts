import assert from 'node:assert/strict'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import {
  announceIdentityChanges,
  changesMax,
  deleteIdentityChanges,
  listIdentityChanges,
} from '../../src/people/identity/identity-change-store.ts'
import { bucketOfId, type Person, person } from '../../src/people/identity/person.ts'
import { onBothDatabases } from '../support/databases.ts'

const atMs = Date.parse('2026-08-01T12:00:00Z')

type Asking = { query<Row>(statement: Sql): Promise<Row[]> }

function personWith(id: number): Person {
  return person(bucketOfId(String(id)), String(id))
}

async function versionOf(db: Asking): Promise<number> {
  const [row] = await db.query<{ number: string }>(sql`select number from version where name = 'identity'`)
  return Number(row!.number)
}

onBothDatabases('announcements are listed from any number on', async (open) => {
  const db = await open()
  const first = await versionOf(db)
  await db.transaction((tx) => announceIdentityChanges(tx, [personWith(1), personWith(2), personWith(1)], atMs))
  await db.transaction((tx) => announceIdentityChanges(tx, [], atMs))
  await db.transaction((tx) => announceIdentityChanges(tx, [personWith(3)], atMs))
  assert.equal(await versionOf(db), first + 2)
  const all = await listIdentityChanges(db, first)
  assert.equal(all?.number, first + 2)
  assert.deepEqual(new Set(all?.profile_ids), new Set(['1', '2', '3']))
  assert.deepEqual(await listIdentityChanges(db, first + 1), { number: first + 2, profile_ids: ['3'] })
})

onBothDatabases('an announcement that is rolled back is not listed', async (open) => {
  const db = await open()
  const first = await versionOf(db)
  const failing = db.transaction(async (tx) => {
    await announceIdentityChanges(tx, [personWith(1)], atMs)
    throw new Error('rolled back')
  })
  await assert.rejects(failing, /rolled back/)
  assert.equal(await versionOf(db), first)
  await db.transaction((tx) => announceIdentityChanges(tx, [personWith(2)], atMs))
  assert.deepEqual(await listIdentityChanges(db, first), { number: first + 1, profile_ids: ['2'] })
})

onBothDatabases('no announcement is listed when any of the needed ones was deleted', async (open) => {
  const db = await open()
  const first = await versionOf(db)
  // The clocks of two machines differ: the second announcement looks older than the first.
  const ages = [2, 3, 1]
  for (const [i, age] of ages.entries())
    await db.transaction((tx) => announceIdentityChanges(tx, [personWith(i + 1)], atMs - age))
  assert.equal((await listIdentityChanges(db, first))?.profile_ids.length, 3)
  await deleteIdentityChanges(db, atMs - 3)
  assert.equal((await listIdentityChanges(db, first))?.profile_ids.length, 3)
  await deleteIdentityChanges(db, atMs - 2)
  assert.equal(await listIdentityChanges(db, first), undefined)
  assert.equal(await listIdentityChanges(db, first + 1), undefined)
  assert.deepEqual(await listIdentityChanges(db, first + 2), { number: first + 3, profile_ids: ['3'] })
  await deleteIdentityChanges(db, atMs)
  assert.equal(await listIdentityChanges(db, first + 2), undefined)
})

onBothDatabases('changes are listed up to a limit', async (open) => {
  const db = await open()
  const first = await versionOf(db)
  const crowd = Array.from({ length: changesMax - 1 }, (_, i) => personWith(i + 1))
  await db.transaction((tx) => announceIdentityChanges(tx, crowd, atMs))
  assert.equal((await listIdentityChanges(db, first))?.profile_ids.length, changesMax - 1)
  await db.transaction((tx) => announceIdentityChanges(tx, [personWith(1)], atMs))
  assert.equal((await listIdentityChanges(db, first))?.profile_ids.length, changesMax)
  await db.transaction((tx) => announceIdentityChanges(tx, [personWith(1)], atMs))
  assert.equal(await listIdentityChanges(db, first), undefined)
})

onBothDatabases('announcements of several processes at once have different numbers', async (open) => {
  const processes = await open.processes(3)
  const [db] = processes
  const first = await versionOf(db!)
  const announcements = Array.from({ length: 30 }, (_, i) =>
    processes[i % processes.length]!.transaction((tx) => announceIdentityChanges(tx, [personWith(i + 1)], atMs)),
  )
  await Promise.all(announcements)
  const all = await listIdentityChanges(db!, first)
  assert.equal(all?.number, first + 30)
  assert.equal(new Set(all?.profile_ids).size, 30)
})
