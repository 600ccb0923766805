import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { openLoop, type Poll } from '../../src/base/work/loop.ts'
import { aheadMs, Poller } from '../../src/base/work/poller.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { withPlacement } from '../support/shards.ts'

/** A poll that counts how often it was woken. Its probe has a row when the number is in the table. */
function countingPoll(number: number): Poll & { woken: number } {
  const poll = {
    woken: 0,
    probe: () => sql`select 1 from version where name = 'identity' and number = ${number}::int8`,
    wake: () => {
      poll.woken++
    },
  }
  return poll
}

const setVersion = (number: number) => sql`update version set number = ${number} where name = 'identity'`

onBothDatabases('a poller wakes the loops whose probe has a row, and no others', async (open) => {
  const db = await open()
  await using poller = disposable(openPoller(db))
  const [seven, eight, removed] = [7, 8, 7].map(countingPoll)
  poller.add(seven!)
  poller.add(eight!)
  const remove = poller.add(removed!)
  remove()
  await db.query(setVersion(7))
  await eventually('the loop is woken', async () => seven!.woken > 0)
  assert.deepEqual([eight!.woken, removed!.woken], [0, 0])
  await db.query(setVersion(8))
  await eventually('the other loop is woken', async () => eight!.woken > 0)
  assert.deepEqual(poller.failing(), [])
})

onBothDatabases('when the poller cannot ask, it wakes all loops, and says that it fails', async (open) => {
  const db = await open()
  await using poller = disposable(openPoller(db))
  const [never] = [-1].map(countingPoll)
  poller.add(never!)
  poller.add({ probe: () => sql`select 1 from no_such_table`, wake: () => undefined })
  await eventually('every loop is woken', async () => never!.woken > 0)
  assert.deepEqual(poller.failing(), ['work.poll'])
})

onBothDatabases('on a database with shards all loops are woken and ask by themselves', async (open) => {
  const db = await open()
  await using poller = disposable(openPoller(withPlacement(db)))
  const [never] = [-1].map(countingPoll)
  poller.add(never!)
  await eventually('the loop is woken', async () => never!.woken > 1)
})

onBothDatabases('a loop with a probe takes its first turn at once, and others when there is work', async (open) => {
  const db = await open()
  await using poller = disposable(openPoller(db))
  let turns = 0
  const turn = async () => {
    turns++
    return false
  }
  const { probe } = countingPoll(7)
  const loop = openLoop({ name: 'a', everyMs: 1, poller, probe, turn }, quiet)
  await eventually('the first turn was taken', async () => turns === 1)
  await db.query(setVersion(7))
  await eventually('work was found', async () => turns > 1)
  await db.query(setVersion(8))
  await loop.close()
  const before = turns
  await db.query(setVersion(7))
  const [other] = [7].map(countingPoll)
  poller.add(other!)
  await eventually('the poller has asked since', async () => other!.woken > 1)
  assert.equal(turns, before)
})

onBothDatabases(
  'a poller that has found nothing, now or soon, only asks whether anything was written',
  async (open) => {
    const db = await open()
    const { counting, counts } = counted(db)
    await using poller = disposable(openPoller(counting))
    const poll = aheadPoll(7)
    poller.add(poll)
    await eventually('the poller rests', async () => counts.ofSnapshot > 1)
    assert.equal(poll.asked.at(-1), aheadMs)
    const { length } = poll.asked
    await db.query(setVersion(7))
    await eventually('the loop is woken', async () => poll.woken > 0)
    assert.equal(poll.asked[length], 0)
  },
)

onBothDatabases('a poller does not rest while something becomes due soon', async (open) => {
  const db = await open()
  const { counting, counts } = counted(db)
  await using poller = disposable(openPoller(counting))
  await db.query(setVersion(7))
  const poll = aheadPoll(7, aheadMs)
  poller.add(poll)
  await eventually(
    'it was asked after it had looked ahead',
    async () => poll.asked.indexOf(aheadMs) < poll.asked.length - 2,
  )
  assert.deepEqual([poll.woken, counts.ofSnapshot], [0, 0])
})

onBothDatabases('a poller that is alone sleeps until its process uses the database', async (open) => {
  const db = await open()
  let asked = 0
  const isAlone = async () => {
    asked++
    return true
  }
  await using poller = disposable(openPoller(db, isAlone))
  const poll = aheadPoll(7)
  poller.add(poll)
  await eventually('the poller sleeps', async () => asked > 0)
  await db.query(setVersion(7))
  await eventually('the loop is woken', async () => poll.woken > 0)
})

onBothDatabases('a poller that sleeps asks at once when there may be another process', async (open) => {
  const [db, other = db] = await open.processes(2)
  let [isAlone, asked] = [true, 0]
  await using poller = disposable(
    openPoller(db!, async () => {
      asked++
      return isAlone
    }),
  )
  const poll = aheadPoll(7)
  poller.add(poll)
  await eventually('the poller sleeps', async () => asked > 0)
  isAlone = false
  await other!.query(setVersion(7))
  poller.wake()
  await eventually('the loop is woken', async () => poll.woken > 0)
})

/** A poll that lists how far ahead it was asked. Its probe has a row when the version is the number, `fromMs` ahead at the earliest. */
function aheadPoll(number: number, fromMs = 0): Poll & { asked: number[]; woken: number } {
  const poll = {
    asked: [] as number[],
    woken: 0,
    probe(ms: number) {
      poll.asked.push(ms)
      return sql`select 1 from version where name = 'identity' and number = ${number}::int8 and ${ms}::int4 >= ${fromMs}::int4`
    },
    wake() {
      poll.woken++
    },
  }
  return poll
}

/** Counts the statements that only read which transactions are visible. */
function counted(db: Db) {
  const counts = { ofSnapshot: 0 }
  const counting: Db = {
    ...db,
    query(statement) {
      if (!statement.text.includes('exists')) counts.ofSnapshot++
      return db.query(statement)
    },
  }
  return { counting, counts }
}

function openPoller(db: Db, isAlone?: () => Promise<boolean>): Poller {
  return new Poller({ db, clock: systemClock(), log: quiet, ...(isAlone && { isAlone }) })
}

function disposable(poller: Poller): Poller & AsyncDisposable {
  return Object.assign(poller, { [Symbol.asyncDispose]: () => poller.close() })
}
