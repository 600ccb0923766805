import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countPeople, pagePeople, samplePeople } from '../../src/audience/conditions/select-people.ts'
import type { Leaf, Tree } from '../../src/audience/conditions/tree.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { lendDatabase } from '../servers/spare.ts'
import { blank, insert, personOf, workspace_id } from '../storage/crowd.ts'
import { attackedService } from '../support/attacked.ts'
import { many } from '../support/people.ts'
import { assertBelow, assertServed } from '../support/waits.ts'

const people = 1035
const conditions = 60
/** A statement of a count on a quiet machine takes a tenth of this. */
const statementMsMax = 1000
const bulkMax = 500

const nested = (i: number): Leaf => ({
  kind: 'custom_attribute',
  path: [`k${i % 40}`, 'list', 'x'],
  test: { comparison: 'not_equal', text: `n${i}` },
})
const heavy: Tree = { all: Array.from({ length: conditions }, (_, i) => nested(i)) }
/** Attributes that are stored compressed, so that each condition would unpack them again. */
const custom = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`k${i}`, { a: { b: `value ${i}` }, list: [{ x: i }, { x: i + 1 }] }]),
)

async function insertPeople(db: Db): Promise<void> {
  const rows = Array.from({ length: people }, (_, i) => {
    const { bucket, profile_id } = personOf(i + 1)
    return { ...blank, bucket, profile_id, custom }
  })
  for (let from = 0; from < people; from += 100) await insert(db, 'profile', rows.slice(from, from + 100))
}

/** Returns the slowest statement of some work, in milliseconds. */
async function longestStatement(db: Db, work: (timed: Db) => Promise<unknown>): Promise<number> {
  const { elapsed } = systemClock()
  let longestMs = 0
  const timed: Db = {
    ...db,
    transaction: (run, options) =>
      db.transaction(async (tx) => {
        return run({
          async query<Row>(statement: Parameters<Db['query']>[0]): Promise<Row[]> {
            const startedMs = elapsed()
            const rows = await tx.query<Row>(statement)
            longestMs = Math.max(longestMs, elapsed() - startedMs)
            return rows
          },
        })
      }, options),
  }
  await work(timed)
  return longestMs
}

test('no statement of a heavy segment takes long on the embedded database', async (t) => {
  const { db } = await lendDatabase('pglite')
  t.after(() => db.close())
  await insertPeople(db)
  const nowMs = systemClock().now()
  await assertBelow(statementMsMax, 'the slowest statement', () =>
    longestStatement(db, async (timed) => {
      assert.equal(await countPeople(timed, workspace_id, heavy, nowMs), people)
      const page = await pagePeople(timed, workspace_id, heavy, nowMs, { limit: people })
      assert.equal(page.people.length, people)
      assert.equal((await samplePeople(timed, workspace_id, heavy, nowMs, { limit: 10, seed: 1 })).length, 10)
    }),
  )
})

test('others are served while a heavy segment is counted again and again (embedded)', async (t) => {
  const attacked = await attackedService('pglite')
  for (let from = 0; from < people; from += bulkMax) {
    const attributes = many(Math.min(bulkMax, people - from), (i) => ({ external_id: `heavy-${from + i}`, ...custom }))
    const { status, text } = await attacked.post('/users/track/bulk', { attributes })
    assert.equal(status, 201, text)
  }
  const audience = {
    AND: Array.from({ length: conditions }, (_, i) => ({
      custom_attribute: {
        custom_attribute_name: `k${i % 40}`,
        path: ['list', 'x'],
        comparison: 'not_equal',
        value: `n${i}`,
      },
    })),
  }
  const { body } = await attacked.admin('POST', '/admin/segments', { name: 'Heavy', audience })
  await assertServed(t, attacked, async () => {
    const { body: counted } = await attacked.admin('GET', `/admin/segments/${body.segment.id}/count`)
    assert.ok(counted.count >= people)
  })
})
