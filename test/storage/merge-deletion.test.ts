import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import type { Sql } from '../../src/base/db/sql.ts'
import { lockAnchors } from '../../src/people/identity/identifier-store.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { PersonRemoved } from '../../src/people/identity/retry-removed.ts'
import { deleteProfiles } from '../../src/people/merge/delete-profiles.ts'
import { mergeProfiles } from '../../src/people/merge/merge-profiles.ts'
import { deleteHistory } from '../../src/people/merge/move-history.ts'
import type { DeletedPerson } from '../../src/people/merge/owned-rule.ts'
import { onAllDatabases } from '../support/databases.ts'
import {
  add,
  addGroups,
  at,
  everything,
  full,
  hashAddress,
  hidden,
  insert,
  located,
  personOf,
  type Row,
  rowsOf,
} from './crowd.ts'
import { brokenRules } from './statements.ts'

const parts = { clock: systemClock(), hashAddress, ownedRules: [] }
const [gone, bystander, third] = [1, 2, 3].map(personOf) as [Person, Person, Person]

async function remove(db: Db, ...people: Person[]): Promise<DeletedPerson[]> {
  return db.transaction((tx) => deleteProfiles(tx, people, parts))
}

/** Returns the tables and columns that contain one of these texts. */
async function mentions(db: Db, texts: readonly string[]): Promise<string[]> {
  const tables = [...(await everything(db))].filter(([table]) => table !== 'migration')
  return tables.flatMap(([table, rows]) =>
    rows
      .filter((row) => texts.some((text) => JSON.stringify(row).includes(text)))
      .map((row) => `${table} ${JSON.stringify(row)}`),
  )
}

/** Returns all texts by which a person of `full(n)` could be recognised. */
function traces(n: number, who: Person): string[] {
  const names = ['person', 'former', 'device', 'token', 'own', 'both', 'only'].map((word) => `${word}-${n}`)
  return [who.profile_id, `own${n}`, `+1555000000${n}`, `First ${n}`, `Last ${n}`, `City ${n}`, `fb${n}`, ...names]
}

onAllDatabases('the database has no data of a deleted person', async (open) => {
  const db = await open()
  await addGroups(db)
  await add(db, gone, full(1))
  await add(db, bystander, full(2))
  // A state of the address was set before a person had it.
  await db.transaction((tx) => lockAnchors(tx, [located('email', 'person-1@example.com')], hashAddress))
  assert.ok((await mentions(db, traces(1, gone))).length > 10)
  const before = await mentions(db, traces(2, bystander))
  const [erased] = await remove(db, gone)
  await deleteHistory(db, [gone, ...erased!.mergedProfiles])
  assert.deepEqual(await mentions(db, traces(1, gone)), [])
  assert.deepEqual(await mentions(db, traces(2, bystander)), before)
})

onAllDatabases('a deletion returns all identifiers and states of the person', async (open) => {
  const db = await open()
  await add(db, gone, full(1))
  const [erased] = await remove(db, gone)
  assert.deepEqual(erased!.person, gone)
  assert.deepEqual(erased!.identifiers.map(({ kind, value }) => `${kind} ${value}`).sort(), [
    'alias both\u001fboth-1',
    'alias own1\u001fown-1',
    'device device-1',
    'email person-1@example.com',
    'external_id former-1',
    'external_id person-1',
    'phone +15550000001',
    'push_token app\u001ftoken-1',
  ])
  assert.deepEqual(await remove(db), [])
})

onAllDatabases('profiles that were merged into a deleted one are deleted too', async (open) => {
  const db = await open()
  for (const [i, who] of [gone, bystander, third].entries()) await add(db, who, full(i + 1))
  await db.transaction((tx) => mergeProfiles(tx, [{ from: third, into: gone, sdkActivity: 'kept' }], parts))
  const [erased] = await remove(db, gone)
  assert.deepEqual(erased!.mergedProfiles, [third])
  await deleteHistory(db, [gone, third])
  assert.deepEqual(await mentions(db, [...traces(1, gone), ...traces(3, third)]), [])
})

onAllDatabases('a removed person cannot be deleted, and then no other person is deleted', async (open) => {
  const db = await open()
  await add(db, gone, full(1))
  await add(db, third, full(3))
  await db.transaction((tx) => mergeProfiles(tx, [{ from: third, into: gone, sdkActivity: 'kept' }], parts))
  const before = await everything(db)
  await assert.rejects(remove(db, gone, third), PersonRemoved)
  await assert.rejects(remove(db, bystander, gone), PersonRemoved)
  assert.deepEqual(await everything(db), before)
})

const said = (group_id: number, state: string, second: number) => ({ group_id, state, stamp: at(second) })
const stateOf = ({ kind, group_id, state, stamp }: Row) =>
  `${kind} ${group_id} ${state} ${new Date(String(stamp)).getUTCSeconds()}`

async function keptStates(db: Db): Promise<string[]> {
  return (await rowsOf(db, 'address_state')).map(stateOf).sort()
}

onAllDatabases('the latest state of an address stays after the deletion of the person who had it', async (open) => {
  const db = await open()
  await addGroups(db)
  const [email, phone] = ['a@example.com', '+15550000009']
  await insert(db, 'address_state', [
    { ...hidden('email', email), ...said(0, 'subscribed', 1) },
    { ...hidden('email', email), ...said(1, 'subscribed', 1) },
    { ...hidden('email', email), ...said(2, 'subscribed', 9) },
  ])
  await add(db, gone, {
    profile: { email, phone, email_subscribe: 'unsubscribed', email_subscribe_at: at(5) },
    membership: [
      said(1, 'unsubscribed', 5),
      said(2, 'unsubscribed', 5),
      said(3, 'unsubscribed', 5),
      said(4, 'subscribed', 5),
    ],
  })
  await remove(db, gone)
  assert.deepEqual(await keptStates(db), [
    'email 0 unsubscribed 5',
    'email 1 unsubscribed 5',
    'email 2 subscribed 9',
    'email 3 unsubscribed 5',
    'phone 4 subscribed 5',
  ])
  const values = new Set((await rowsOf(db, 'address_state')).map(({ value }) => value))
  assert.deepEqual(values, new Set([hidden('email', email).value, hidden('phone', phone).value]))
})

onAllDatabases('no state is kept for an address without one', async (open) => {
  const db = await open()
  await add(db, gone, { profile: { email: 'a@example.com', phone: 'no number' } })
  await remove(db, gone)
  assert.deepEqual(await keptStates(db), [])
})

onAllDatabases('the state of a deleted person does not become that of others with the same address', async (open) => {
  const db = await open()
  await addGroups(db)
  const profile = { email: 'shared@example.com' }
  await add(db, gone, { profile, membership: [said(1, 'unsubscribed', 5)] })
  await add(db, third, { profile, membership: [said(1, 'subscribed', 7), said(2, 'subscribed', 7)] })
  await add(db, bystander, { profile })
  await remove(db, gone)
  assert.deepEqual(await keptStates(db), [])
  // Deletes the last two at once, after which no person has the address.
  await remove(db, third, bystander)
  assert.deepEqual(await keptStates(db), ['email 1 subscribed 7', 'email 2 subscribed 7'])
})

onAllDatabases('every statement of a deletion would run on a sharded database', async (open) => {
  const db = await open()
  await add(db, gone, full(1))
  const texts: string[] = []
  const recorded = (tx: Tx) => ({
    query: <T>(statement: Sql) => {
      texts.push(statement.text)
      return tx.query<T>(statement)
    },
  })
  await db.transaction((tx) => deleteProfiles(recorded(tx), [gone], parts))
  const distributed = [...(await everything(db)).keys()]
  assert.deepEqual(
    texts.flatMap((text) => brokenRules(text, distributed)),
    [],
  )
})
