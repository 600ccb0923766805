import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db, TransactionOptions, Tx } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { waitForOlderTransactions } from '../../src/base/db/wait-for-older-transactions.ts'
import { Failure } from '../../src/base/errors.ts'
import { onBothDatabases } from '../support/databases.ts'

/** Longer than the longest pause between two looks. */
const noticedMs = 150

type Held = AsyncDisposable & { end(): Promise<void> }

/** Opens a transaction that runs `first` and stays open until it is ended. */
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

/** Returns whether a wait has ended, without waiting for it. */
function watch(waiting: Promise<void>): () => boolean {
  let ended = false
  void waiting.then(() => {
    ended = true
  })
  return () => ended
}

onBothDatabases('the wait needs one query when no transaction is open', async (open) => {
  const db = await open()
  let queries = 0
  const counting = { ...db, query: (statement: Sql) => db.query(statement).finally(() => queries++) } as Db
  await waitForOlderTransactions(counting)
  assert.equal(queries, 1)
})

onBothDatabases(
  'the wait includes a transaction that has written, also when no other has ended since it began',
  async (open) => {
    const db = await open()
    // This ends as the newest transaction, so that the snapshot of another session ends below the next one.
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

onBothDatabases('the wait includes a transaction with an id that has only read', async (open) => {
  const db = await open()
  await using held = await hold(db, read, { assignTransactionId: true })
  const waiting = waitForOlderTransactions(db)
  const isOver = watch(waiting)
  await pause(noticedMs)
  assert.equal(isOver(), false)
  await held.end()
  await waiting
})

onBothDatabases('the wait includes all of several open transactions, in any order of their ends', async (open) => {
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

onBothDatabases('the wait does not include a transaction that begins later', async (open) => {
  const db = await open()
  if (db.backend === 'pglite') return
  await using earlier = await hold(db, write)
  const waiting = waitForOlderTransactions(db)
  await pause(noticedMs)
  await using _later = await hold(db, write)
  await earlier.end()
  await waiting
})

onBothDatabases('two waits do not wait for each other', async (open) => {
  const db = await open()
  await using held = await hold(db, write)
  const waiting = Promise.all(Array.from({ length: 5 }, () => waitForOlderTransactions(db)))
  await pause(noticedMs)
  await held.end()
  await waiting
})

onBothDatabases('the wait for a transaction that does not end fails with a busy database', async (open) => {
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
