import assert from 'node:assert/strict'
import test from 'node:test'
import { findPostgres, startCluster } from '../servers/postgres.ts'
import { event, type Item, many, People, workspace } from '../support/people.ts'
import { becomesReady, pause } from './load.ts'

const skip = findPostgres() ? false : 'no PostgreSQL binaries: this test stops a server of its own'
const pairCount = 40
const rounds = 2
const awayMs = 700

test('work that was accepted before an outage of the database is done exactly once after it', {
  skip,
}, async () => {
  await using cluster = await startCluster({ durable: true })
  const env = { DATABASE_URL: await cluster.createDatabase('away') }
  const people = new People()
  await people.start({ env, workspace })
  try {
    for (let round = 0; round < rounds; round++) {
      const pairs = many(pairCount, (i) => [`gone-${round}-${i}`, `kept-${round}-${i}`] as const)
      for (const pair of pairs) await people.happen(...pair.map((external_id) => event({ external_id })))
      const answer = await people.send('/users/merge', { merge_updates: pairs.map(updateOf) })
      assert.equal(answer.status, 202)
      await pause(20 * round)
      await cluster.stopNow()
      await pause(awayMs)
      const refused = await people.send('/users/merge', { merge_updates: [updateOf(['a', 'b'])] })
      assert.equal(refused.status, 503)
      assert.ok(refused.headers['retry-after'])
      const ready = await people.service.get('/ready')
      assert.equal(ready.status, 503)
      assert.match(ready.body.message, /work\.carryOut|work\.sweep/)
      await cluster.start()
      await becomesReady(people.service)
      const outcomes = (await people.done(answer)).map(({ outcome }) => outcome)
      assert.deepEqual(outcomes, Array(pairCount).fill('done'))
      for (const [, kept] of pairs) assert.equal((await people.eventsOf(kept))[0]?.count, 2)
    }
  } finally {
    await people.stop()
  }
})

function updateOf([gone, kept]: readonly [string, string]): Item {
  return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
}
