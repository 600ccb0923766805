import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db, TransactionOptions, Tx } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { waitForOlderTransactions } from '../../src/base/db/wait-for-older-transactions.ts'
import { Failure } from '../../src/base/errors.ts'
import { onBothDatabases } from '../support/databases.ts'

/** Longer than the longest pause between two looks. */
const noticedMs = 150

/** Other suites use the same server, and their transactions count as well: now and then nobody's is open. */
const looksMax = 200

type Held = AsyncDisposable & { end(): Promise<void> }

/** A transaction that has done `first` and stays open until it is ended. */
async function hold(db: Db, first: (tx: Tx) => Promise<unknown>, options?: TransactionOptions): Promise<Held> {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: ended, resolve: end } = Promise.withResolvers<void>()
  const work = async (tx: Tx): Promise<void> => {
    await first(tx)
    begin()
    await ended
  }
  const running = db.transaction(work, options)
  await begun
  const finish = (): Promise<void> => {
    end()
    return running
  }
  return { end: finish, [Symbol.asyncDispose]: finish }
}

let written = 0
const write = (tx: Tx) => tx.query(sql`insert into rate_window values (1, 'held', ${++written}, 1)`)
const read = (tx: Tx) => tx.query(sql`select number from version where name = 'identity'`)

/** Whether the wait has ended, looked up without waiting for it. */
function watch(waiting: Promise<void>): () => boolean {
  let ended = false
  void waiting.then(() => {
    ended = true
  })
  return () => ended
}

onBothDatabases('when nothing is open, one query says so', async (open) => {
  const db = await open()
  let asked = 0
  const counting = { ...db, query: (statement: Sql) => db.query(statement).finally(() => asked++) } as Db
  for (let look = 0; asked !== 1 && look < looksMax; look++) {
    asked = 0
    await waitForOlderTransactions(counting)
  }
  assert.equal(asked, 1)
})

onBothDatabases(
  'a transaction that has written is waited for, also when nothing has ended since it began',
  async (open) => {
    const db = await open()
    // What ends here is the newest that has: the snapshot of another session ends below the transaction that follows.
    await db.transaction(write)
    await using held = await hold(db, write)
    const waiting = waitForOlderTransactions(db)
    const isOver = watch(waiting)
    await pause(noticedMs)
    assert.equal(isOver(), false)
    await held.end()
    await waiting
  },
)

onBothDatabases('a numbered transaction is waited for when it has only read', async (open) => {
  const db = await open()
  await using held = await hold(db, read, { assignTransactionId: true })
  const waiting = waitForOlderTransactions(db)
  const isOver = watch(waiting)
  await pause(noticedMs)
  assert.equal(isOver(), false)
  await held.end()
  await waiting
})

onBothDatabases('every one of several open transactions is waited for, in whatever order they end', async (open) => {
  const db = await open()
  if (db.backend === 'pglite') return
  await using first = await hold(db, write)
  await using second = await hold(db, write)
  const waiting = waitForOlderTransactions(db)
  const isOver = watch(waiting)
  await second.end()
  await pause(noticedMs)
  assert.equal(isOver(), false)
  await first.end()
  await waiting
})

onBothDatabases('a transaction that begins later is not waited for', async (open) => {
  const db = await open()
  if (db.backend === 'pglite') return
  await using earlier = await hold(db, write)
  const waiting = waitForOlderTransactions(db)
  await pause(noticedMs)
  await using _later = await hold(db, write)
  await earlier.end()
  await waiting
})

onBothDatabases('those who wait do not wait for each other', async (open) => {
  const db = await open()
  await using held = await hold(db, write)
  const waiting = Promise.all(Array.from({ length: 5 }, () => waitForOlderTransactions(db)))
  await pause(noticedMs)
  await held.end()
  await waiting
})

onBothDatabases('a transaction that does not end is given up, and the database is said to be busy', async (open) => {
  const db = await open()
  if (db.backend === 'pglite') return
  await using held = await hold(db, write)
  await assert.rejects(
    waitForOlderTransactions(db, 20),
    (error) => error instanceof Failure && error.kind === 'unavailable',
  )
  await held.end()
  await waitForOlderTransactions(db)
})
