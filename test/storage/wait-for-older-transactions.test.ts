import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { Db, TransactionOptions, Tx } from '../../src/base/db/db.ts'
import { type Registration, registrationOf, type Waited } from '../../src/base/db/registration.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { readOnlySnapshot } from '../../src/base/db/transaction-settings.ts'
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

onBothDatabases('the wait includes a transaction that has only read until now', async (open) => {
  const db = await open()
  await using held = await hold(db, read)
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
    waitForOlderTransactions(db, ['people'], 20),
    (error) => error instanceof Failure && error.kind === 'unavailable',
  )
  await held.end()
  await waitForOlderTransactions(db)
})

const waitedFor: readonly [Registration, readonly Waited[]][] = [
  ['people', ['people']],
  ['hand_over', ['hand_over']],
  ['migration', ['migration']],
  ['nothing', []],
]

onBothDatabases('a wait is for what it names alone, and without a name for everything', async (open) => {
  const db = await open()
  if (db.backend === 'pglite') return
  const isWaitedFor = (waited: readonly Waited[] | undefined) =>
    waitForOlderTransactions(db, waited, 0).then(
      () => false,
      () => true,
    )
  for (const [registersAs, own] of waitedFor) {
    await using held = await hold(db, write, { registersAs })
    for (const waited of ['people', 'hand_over', 'migration'] as const)
      assert.equal(await isWaitedFor([waited]), own.includes(waited), `${registersAs} for ${waited}`)
    assert.equal(await isWaitedFor(undefined), own.length > 0, registersAs)
    await held.end()
  }
})

onBothDatabases('nobody waits for a snapshot that is read, and none can be written with', async (open) => {
  const db = await open()
  await using held = await hold(db, read, { settings: readOnlySnapshot })
  if (db.backend === 'postgres') {
    await waitForOlderTransactions(db, undefined, 0)
    await assert.rejects(async () => hold(db, read, { settings: [readOnlySnapshot[0]] }), /must be read-only/)
  }
  await held.end()
})

onBothDatabases(
  'a statement outside a transaction, and a transaction that failed, leave nothing to wait for',
  async (open) => {
    const db = await open()
    await db.query(sql`insert into rate_window values (1, 'held', ${++written}, 1)`)
    await assert.rejects(db.transaction((tx) => tx.query(sql`select 1 / 0`)))
    await assert.rejects(
      db.transaction(async (tx) => {
        await write(tx)
        throw new Error('given up')
      }),
      /given up/,
    )
    await waitForOlderTransactions(db, undefined, 0)
  },
)

onBothDatabases('the wait ends when the session of the other transaction is lost', async (open) => {
  const [first, second, watcher] = await open.processes(3)
  if (!first || !second || !watcher) return
  const begun = Promise.withResolvers<number>()
  const lost = Promise.withResolvers<void>()
  const holding = second.transaction(async (tx) => {
    const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    begun.resolve(row!.pid)
    await lost.promise
  })
  const pid = await begun.promise
  const waiting = waitForOlderTransactions(first)
  const isOver = watch(waiting)
  await pause(noticedMs)
  assert.equal(isOver(), false)
  // So does the server when a process is killed.
  await watcher.query(sql`select pg_terminate_backend(${pid})`)
  await waiting
  lost.resolve()
  await assert.rejects(holding)
})

onBothDatabases(
  'what was committed before a wait is seen by every transaction that is not waited for',
  async (open, t) => {
    const [first, second, watcher] = await open.processes(3)
    if (!first || !second || !watcher) return
    await watcher.execute(
      'create table gate (open boolean); create table entered (n int); insert into gate values (true)',
    )
    let stopped = false
    let entered = 0
    // Each transaction reads the gate, as a flush reads who a person is, and writes a little later if it was open.
    const writer = async (db: Db) => {
      while (!stopped) {
        await db.transaction(async (tx) => {
          const [gate] = await tx.query<{ open: boolean }>(sql`select open from gate`)
          await pause(2)
          if (gate!.open) await tx.query(sql`insert into entered values (${entered++})`)
        })
      }
    }
    const writers = [first, first, first, second, second, second].map(writer)
    const rounds = 40
    let late = 0
    for (let round = 0; round < rounds; round++) {
      await pause(5)
      await first.query(sql`update gate set open = false`)
      await waitForOlderTransactions(second)
      const count = async () => (await watcher.query(sql`select 1 from entered`)).length
      const before = await count()
      await pause(10)
      late += (await count()) - before
      await first.query(sql`update gate set open = true`)
    }
    stopped = true
    await Promise.all(writers)
    t.diagnostic(`${entered} transactions passed an open gate`)
    assert.ok(entered > 0)
    assert.equal(late, 0)
  },
)

onBothDatabases(
  'a transaction registers in the round trip of BEGIN, and gets no transaction id by that',
  async (open) => {
    const [first, watcher] = await open.processes(2)
    if (!first || !watcher) return
    const begun = Promise.withResolvers<number>()
    const ended = Promise.withResolvers<void>()
    const holding = first.transaction(async (tx) => {
      const [row] = await tx.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
      begun.resolve(row!.pid)
      await ended.promise
    })
    const pid = await begun.promise
    const rows = await watcher.query(sql`
    select query, backend_xid::text as id from pg_stat_activity where pid = ${pid} and state = 'idle in transaction'`)
    assert.deepEqual(rows, [{ query: `begin; ${registrationOf('people')}; select pg_backend_pid() as pid`, id: null }])
    ended.resolve()
    await holding
  },
)
