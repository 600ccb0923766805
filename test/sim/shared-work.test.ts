import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { pause } from '../fault/load.ts'
import { testPostgres } from '../servers/postgres.ts'
import { databases, type Service, spawnService, startService } from '../support/harness.ts'
import { type Exported, event, type Item, many, type WorkEntry } from '../support/people.ts'

const skip = databases.includes('postgres') ? false : 'PostgreSQL is not here: two processes cannot share a database'
const doneMsMax = 240_000
const pairCount = 20
/** A process that does work would need a small part of this time. */
const idleMs = 1_500

test('one process accepts work, another one does it, and a request that waits for it is answered by both', {
  skip,
}, async () => {
  const postgres = await testPostgres()
  assert.ok(postgres)
  const DATABASE_URL = await postgres.createDatabase(`shared_${randomUUID()}`)
  await using accepting = await startService({ env: { DATABASE_URL, EASEL_ROLE: 'http' } })
  const pairs = many(pairCount, (i) => [`gone-${i}`, `kept-${i}`] as const)
  await track(accepting, { attributes: pairs.flat().map((external_id) => ({ external_id, [external_id]: 1 })) })
  for (const [gone, kept] of pairs)
    await track(accepting, { events: [event({ external_id: gone }), event({ external_id: kept })] })

  const [first, ...others] = pairs
  const { status } = await accepting.post('/users/merge', { merge_updates: [updateOf(first!)] })
  assert.equal(status, 202)
  await pause(idleMs)
  assert.deepEqual(statesOf(await workOf(accepting)), ['waiting'])

  // A request waits, so all earlier work is done here too. The other process moves the history.
  const user_alias = { alias_name: 'a', alias_label: 'b' }
  await track(accepting, { attributes: [{ user_alias, n: 1, _update_existing_only: false }] })
  const identified = await accepting.post('/users/identify', {
    aliases_to_identify: [{ external_id: 'gone-0', user_alias }],
  })
  assert.equal(identified.status, 201)
  assert.deepEqual((await find(accepting, 'gone-0')).custom_attributes, { n: 1 })
  assert.deepEqual(statesOf(await workOf(accepting)), ['done', 'moving'])
  assert.equal((await find(accepting, 'kept-0')).custom_events?.[0]?.count, 2)

  await using worker = await spawnService({ env: { DATABASE_URL, EASEL_ROLE: 'worker' } })
  // Not by the client of tests, which records the statuses that the endpoint answers: here there is none.
  assert.equal((await fetch(`${worker.url}/users/merge`, { method: 'POST', body: '{}' })).status, 404)
  const answer = await accepting.post('/users/merge', { merge_updates: others.map(updateOf) })
  assert.equal(answer.status, 202)
  await untilIdle(accepting)
  for (const [gone, kept] of others) {
    const { custom_attributes, custom_events } = await find(accepting, kept)
    assert.deepEqual([custom_attributes, custom_events?.[0]?.count], [{ [gone]: 1, [kept]: 1 }, 2])
  }
  assert.ok((await workOf(accepting)).every(({ outcome }) => outcome === 'done'))
  await worker.stop()
})

async function track(service: Service, body: Item): Promise<void> {
  const { status, text } = await service.post('/users/track', body)
  assert.equal(status, 201, text)
}

function updateOf([gone, kept]: readonly [string, string]): Item {
  return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
}

async function workOf(service: Service): Promise<WorkEntry[]> {
  const { body } = await service.get('/admin/work?limit=100', { key: service.adminToken })
  return body.work
}

/** Returns the work items, newest first. */
function statesOf(work: readonly WorkEntry[]): string[] {
  return work.map(({ state }) => state)
}

async function untilIdle(service: Service): Promise<void> {
  const givenUpAt = performance.now() + doneMsMax
  while (statesOf(await workOf(service)).some((state) => state !== 'done')) {
    assert.ok(performance.now() < givenUpAt, `work is done within ${doneMsMax} ms`)
    await pause(20)
  }
}

async function find(service: Service, external_id: string): Promise<Exported> {
  const fields_to_export = ['custom_attributes', 'custom_events']
  const { status, text, body } = await service.post('/users/export/ids', {
    external_ids: [external_id],
    fields_to_export,
  })
  assert.equal(status, 201, text)
  assert.equal(body.users.length, 1, external_id)
  return body.users[0]
}
