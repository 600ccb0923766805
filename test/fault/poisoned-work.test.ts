import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import test from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { systemClock } from '../../src/base/clock.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { databases, drawDatabases } from '../support/harness.ts'
import { event, type Item, many, newAlias, People, workspace } from '../support/people.ts'
import { placeFor } from '../support/table-rows.ts'
import { becomesReady, pause } from './load.ts'

const pairCount = 30
const poisoned = 13

/** Refuses rows that no merge produces in production. */
const constraint = `alter table profile add constraint no_poison check (not (custom ? 'poison' and custom ? 'mark'))`
/** Refuses rows that are written from now on: an event that has been accepted cannot be moved. */
const stuck = `alter table event add constraint stuck check (properties not like '%stuck%') not valid`

for (const database of drawDatabases('poisoned-work')) {
  test(`a work item that the database refuses fails alone, and items accepted with it and after it are done (${database})`, async () => {
    await using place = await placeFor(database)
    const db = await place.open()
    await migrate(db, systemClock())
    await db.execute(constraint)
    await db.close()
    const { log, lines } = capture()
    const people = new People()
    await people.start({ env: place.env, log, workspace })
    try {
      const pairs = many(pairCount, (i) => [`gone-${i}`, `kept-${i}`] as const)
      await people.set(...pairs.map(([gone], i) => ({ external_id: gone, ...(i === poisoned && { poison: 1 }) })))
      await people.set(...pairs.map(([, kept]) => ({ external_id: kept, mark: 1 })))
      const answer = await people.send('/users/merge', { merge_updates: pairs.map(updateOf) })
      assert.equal(answer.status, 202)
      // Requests that wait for these items get their answers.
      const user_alias = newAlias()
      await people.set({ user_alias, n: 1, _update_existing_only: false })
      const identified = await people.send('/users/identify', {
        aliases_to_identify: [{ external_id: 'anna', user_alias }],
      })
      assert.equal(identified.status, 201)
      assert.deepEqual(await people.custom('anna'), { n: 1 })

      const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
      assert.deepEqual(
        outcomes,
        many(pairCount, (i) => (i === poisoned ? 'failed' : 'done')),
      )
      const { asked, finished_at } = (await people.done(answer))[poisoned]!
      assert.deepEqual(asked, updateOf(pairs[poisoned]!))
      assert.ok(finished_at)
      assert.deepEqual(await people.custom(`gone-${poisoned}`), { poison: 1 })
      assert.deepEqual(await people.custom(`kept-${poisoned}`), { mark: 1 })
      const metrics = (await people.service.get('/metrics')).text
      assert.match(metrics, /^easel_work_items_total\{kind="merge",outcome="failed"\} 1$/m)
      assert.match(metrics, /^easel_work_bisects_total [1-9]\d*$/m)
      assert.ok(
        lines.some(
          ({ msg, err }) => msg.startsWith('the database refused a batch of work items') && err?.code === '23514',
        ),
      )
      assert.equal(lines.filter(({ msg }) => msg === 'a work item failed').length, 1)
      await becomesReady(people.service)
    } finally {
      await people.stop()
    }
  })
}

const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here'

test('history that cannot be moved delays no other person, is logged, and is moved when that becomes possible', {
  skip,
}, async () => {
  await using place = await placeFor('postgres')
  const client = new pg.Client({ connectionString: place.env.DATABASE_URL! })
  const people = new People()
  await people.start({ env: place.env, workspace })
  await client.connect()
  try {
    const pairs = many(5, (i) => [`gone-${i}`, `kept-${i}`] as const)
    for (const [i, [gone, kept]] of pairs.entries()) {
      await people.happen(
        event({ external_id: gone }, { properties: { a: i === 2 ? 'stuck' : 'free' } }),
        event({ external_id: kept }),
      )
    }
    await client.query(stuck)
    assert.equal((await people.send('/users/merge', { merge_updates: pairs.map(updateOf) })).status, 202)
    const moving = async () => (await people.work('state=moving')).work.map(({ position }) => position)
    while ((await moving()).length !== 1 || (await people.work('state=waiting')).work.length > 0) await pause(10)
    assert.deepEqual(await moving(), [2])
    const ready = await people.service.get('/ready')
    assert.equal(ready.status, 503)
    assert.match(ready.body.message, /work\.sweep failed/)
    // The event belongs to the kept person even before it is moved.
    for (const [, kept] of pairs) assert.equal((await people.eventsOf(kept))[0]?.count, 2)
    await client.query('alter table event drop constraint stuck')
    while ((await moving()).length > 0) await pause(10)
    await becomesReady(people.service)
    for (const [, kept] of pairs) assert.equal((await people.eventsOf(kept))[0]?.count, 2)
  } finally {
    await client.end()
    await people.stop()
  }
})

function updateOf([gone, kept]: readonly [string, string]): Item {
  return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
}

type Line = { msg: string; err?: { code?: string } }

function capture() {
  const lines: Line[] = []
  const stream = new Writable({
    write(chunk, _encoding, done) {
      lines.push(JSON.parse(String(chunk)))
      done()
    },
  })
  return { log: pino({ level: 'error' }, stream), lines }
}
