import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, TransactionOptions, Tx } from '../../src/base/db/db.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import { summarizeEvents, summarizePurchases } from '../../src/people/history/history-store.ts'
import { deleteHistoryRows, moveHistoryRows } from '../../src/people/history/move-store.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { mergeProfiles } from '../../src/people/merge/merge-profiles.ts'
import { deleteHistory, moveHistory } from '../../src/people/merge/move-history.ts'
import { onAllDatabases } from '../support/databases.ts'
import { add, everything, hashAddress, personOf, rowsOf } from './crowd.ts'
import { brokenRules } from './statements.ts'

const parts = { clock: systemClock(), hashAddress, ownedRules: [] }
const [kept, merged, third, bystander] = [1, 2, 3, 4].map(personOf) as [Person, Person, Person, Person]
const rowsMax = 4
const dayMs = 86_400_000
/** Noon of a day in the second of several weeks with a partition each. */
const noonMs = Date.UTC(2026, 4, 12, 12)

/** Returns times over the days before noon. Every fifth time is the same, so that there are equal rows. */
const timeOf = (i: number) => new Date(noonMs - (i % 5) * 3 * dayMs).toISOString()

const events = (count: number, name_id = 1) => {
  return Array.from({ length: count }, (_, i) => ({ time: timeOf(i), name_id, app_id: i, properties: `{"i":${i}}` }))
}

const purchases = (count: number) => {
  return Array.from({ length: count }, (_, i) => ({
    time: timeOf(i),
    price: 0.1 + i,
    name_id: 2,
    quantity: i + 1,
    currency: 'EUR',
  }))
}

async function join(db: Db, from: Person, into: Person): Promise<void> {
  await db.transaction((tx) => mergeProfiles(tx, [{ from, into, sdkActivity: 'kept' }], parts))
}

/** Counts the transactions of a database. */
function counting(db: Db): Db & { transactions: number } {
  const counted = {
    ...db,
    transactions: 0,
    transaction<T>(work: (tx: Tx) => Promise<T>, options?: TransactionOptions) {
      counted.transactions++
      return db.transaction(work, options)
    },
  }
  return counted
}

async function flags(db: Db): Promise<unknown[]> {
  return (await rowsOf(db, 'merged_profile')).map(({ moved }) => moved)
}

/** The number of rows, and of transactions of `rowsMax` rows. */
const sizes = [
  [0, 1],
  [rowsMax - 1, 1],
  [rowsMax, 2],
  [rowsMax + 1, 2],
  [3 * rowsMax + 1, 4],
] as const

onAllDatabases('events are moved in short transactions', async (open) => {
  const db = counting(await open())
  await ensureWeeks(db, noonMs)
  await add(db, bystander, { event: events(3) })
  const before = await rowsOf(db, 'event', bystander)
  for (const [i, [count, transactions]] of sizes.entries()) {
    const [into, from] = [personOf(100 + i), personOf(200 + i)]
    await add(db, into, { event: events(2, 9) })
    await add(db, from, { event: events(count) })
    await join(db, from, into)
    db.transactions = 0
    await moveHistory(db, [{ from, into }], rowsMax)
    assert.equal(db.transactions, transactions, `${count} events`)
    const own = (await rowsOf(db, 'event', into)).filter(({ name_id }) => name_id === '1')
    const apps = own.map(({ app_id }) => Number(app_id)).sort((a, b) => a - b)
    assert.deepEqual(
      apps,
      events(count).map(({ app_id }) => app_id),
    )
    for (const row of own) assert.equal(row.properties, `{"i":${row.app_id}}`)
    assert.deepEqual(await rowsOf(db, 'event', from), [])
  }
  assert.deepEqual(await rowsOf(db, 'event', bystander), before)
  assert.deepEqual(new Set(await flags(db)), new Set(['true']))
})

onAllDatabases('purchases of deleted people are deleted in short transactions', async (open) => {
  const db = counting(await open())
  await ensureWeeks(db, noonMs)
  await add(db, bystander, { purchase: purchases(3) })
  for (const [i, [count, transactions]] of sizes.entries()) {
    const from = personOf(200 + i)
    await add(db, from, { purchase: purchases(count) })
    db.transactions = 0
    await deleteHistory(db, [from], rowsMax)
    assert.equal(db.transactions, transactions, `${count} purchases`)
    assert.deepEqual(await rowsOf(db, 'purchase', from), [])
  }
  assert.equal((await rowsOf(db, 'purchase', bystander)).length, 3)
})

onAllDatabases('events and purchases share the row limit of a transaction', async (open) => {
  const db = counting(await open())
  await add(db, kept, {})
  await add(db, merged, { event: events(3), purchase: purchases(3) })
  await join(db, merged, kept)
  db.transactions = 0
  await moveHistory(db, [{ from: merged, into: kept }], rowsMax)
  assert.equal(db.transactions, 2)
  assert.equal((await rowsOf(db, 'event', kept)).length, 3)
  const bought = (await rowsOf(db, 'purchase', kept)).map(
    ({ price, quantity, currency }) => `${price} ${quantity} ${currency}`,
  )
  assert.deepEqual(bought.sort(), ['0.1 1 EUR', '1.1 2 EUR', '2.1 3 EUR'])
})

onAllDatabases('history belongs to the kept person from the merge on, and is moved once', async (open) => {
  const db = await open()
  await ensureWeeks(db, noonMs)
  await add(db, kept, { event: events(3), purchase: purchases(2) })
  await add(db, merged, { event: [...events(4), ...events(1, 7)], purchase: purchases(3) })
  await add(db, third, { event: events(2) })
  const people = [kept, bystander]
  const summaries = async () => {
    const found = [...(await summarizeEvents(db, people, 0)), ...(await summarizePurchases(db, people, 0))]
    return found.flatMap(([profile_id, ofOne]) =>
      ofOne.map(({ name_id, first, last, count }) => [profile_id === kept.profile_id, name_id, first, last, count]),
    )
  }
  await join(db, third, merged)
  await join(db, merged, kept)
  const [last, middle, first] = [timeOf(0), timeOf(2), timeOf(3)]
  const expected = [
    [true, 1, first, last, 9],
    [true, 7, last, last, 1],
    [true, 2, middle, last, 9],
  ]
  assert.deepEqual(await summaries(), expected)
  // After one of several pages, history is at both profiles.
  await db.transaction((tx) => moveHistoryRows(tx, 'event', [{ from: merged, into: kept }], 2))
  assert.deepEqual(await summaries(), expected)
  await moveHistory(db, [{ from: merged, into: kept }])
  await moveHistory(db, [{ from: third, into: merged }])
  assert.deepEqual(await summaries(), expected)
  assert.deepEqual(await flags(db), ['true', 'true'])
  const before = await everything(db)
  await moveHistory(db, [{ from: merged, into: kept }])
  await moveHistory(db, [{ from: third, into: kept }])
  assert.deepEqual(await everything(db), before)
})

onAllDatabases('history is not moved to a person who was deleted meanwhile', async (open) => {
  const db = await open()
  await add(db, kept, { event: events(1) })
  await add(db, merged, { event: events(2) })
  await moveHistory(db, [{ from: merged, into: kept }])
  assert.equal((await rowsOf(db, 'event', kept)).length, 1)
  assert.equal((await rowsOf(db, 'event', merged)).length, 2)
})

onAllDatabases('every statement of a sweep would run on a sharded database', async (open) => {
  const db = await open()
  const texts: string[] = []
  const tx: Tx = {
    query: (statement) => {
      texts.push(statement.text)
      return db.query(statement)
    },
  }
  await moveHistoryRows(tx, 'event', [{ from: merged, into: kept }], 1)
  await deleteHistoryRows(tx, 'purchase', [merged], 1)
  const distributed = [...(await everything(db)).keys()]
  // The position of a row is read and used on the same shard.
  const known = 'does not read the table that it changes in a WITH'
  assert.deepEqual(new Set(texts.flatMap((text) => brokenRules(text, distributed))), new Set([known]))
})
