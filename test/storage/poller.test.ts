import assert from 'node:assert/strict'
import { systemClock } from '../../src/base/clock.ts'
import { sql } from '../../src/base/db/sql.ts'
import { openLoop, type Poll } from '../../src/base/work/loop.ts'
import { Poller } from '../../src/base/work/poller.ts'
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
  await using poller = disposable(new Poller(db, systemClock(), quiet))
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
  await using poller = disposable(new Poller(db, systemClock(), quiet))
  const [never] = [-1].map(countingPoll)
  poller.add(never!)
  poller.add({ probe: () => sql`select 1 from no_such_table`, wake: () => undefined })
  await eventually('every loop is woken', async () => never!.woken > 0)
  assert.deepEqual(poller.failing(), ['work.poll'])
})

onBothDatabases('on a database with shards all loops are woken and ask by themselves', async (open) => {
  const db = await open()
  await using poller = disposable(new Poller(withPlacement(db), systemClock(), quiet))
  const [never] = [-1].map(countingPoll)
  poller.add(never!)
  await eventually('the loop is woken', async () => never!.woken > 1)
})

onBothDatabases('a loop with a probe takes its first turn at once, and others when there is work', async (open) => {
  const db = await open()
  await using poller = disposable(new Poller(db, systemClock(), quiet))
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

function disposable(poller: Poller): Poller & AsyncDisposable {
  return Object.assign(poller, { [Symbol.asyncDispose]: () => poller.close() })
}
