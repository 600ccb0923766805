import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countPeople, pagePeople, samplePeople } from '../../src/audience/conditions/select-people.ts'
import type { Leaf, Tree } from '../../src/audience/conditions/tree.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { lendDatabase } from '../servers/spare.ts'
import { blank, insert, personOf, workspace_id } from '../storage/crowd.ts'
import { startService } from '../support/harness.ts'

const people = 1035
const conditions = 60
/** A statement of a count on a quiet machine takes a tenth of this. */
const statementMsMax = 1000
const floorMs = 250
const requests = 20

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
  const longestMs = await longestStatement(db, async (timed) => {
    assert.equal(await countPeople(timed, workspace_id, heavy, nowMs), people)
    const page = await pagePeople(timed, workspace_id, heavy, nowMs, { limit: people })
    assert.equal(page.people.length, people)
    assert.equal((await samplePeople(timed, workspace_id, heavy, nowMs, { limit: 10, seed: 1 })).length, 10)
  })
  assert.ok(longestMs < statementMsMax, `the slowest statement took ${Math.round(longestMs)} ms`)
})

test('track requests are answered while a heavy segment is counted again and again (embedded)', async (t) => {
  const lent = await lendDatabase('pglite')
  const { db } = lent
  const service = await startService({ on: lent })
  t.after(async () => {
    await service[Symbol.asyncDispose]()
    await db.close()
  })
  await insertPeople(db)
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
  const { body } = await service.admin('POST', '/admin/segments', { name: 'Heavy', audience })
  const { elapsed } = systemClock()
  const slowest = async (): Promise<number> => {
    let longestMs = 0
    for (let i = 0; i < requests; i++) {
      const startedMs = elapsed()
      const { status } = await service.post('/users/track', { attributes: [{ external_id: `e${i}`, plan: 'gold' }] })
      assert.equal(status, 201)
      longestMs = Math.max(longestMs, elapsed() - startedMs)
    }
    return longestMs
  }
  await slowest()
  const quietMs = await slowest()
  let done = false
  let counts = 0
  const counting = (async () => {
    while (!done) {
      const { body: counted } = await service.admin('GET', `/admin/segments/${body.segment.id}/count`)
      assert.ok(counted.count >= people)
      counts++
    }
  })()
  let hostileMs = 0
  try {
    while (counts < 2) hostileMs = Math.max(hostileMs, await slowest())
  } finally {
    done = true
    await counting
  }
  const boundMs = Math.max(5 * quietMs, floorMs)
  assert.ok(hostileMs < boundMs, `the slowest took ${Math.round(hostileMs)} ms, ${Math.round(quietMs)} ms when quiet`)
})
