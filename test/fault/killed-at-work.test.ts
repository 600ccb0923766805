import assert from 'node:assert/strict'
import test from 'node:test'
import type pg from 'pg'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { raw } from '../../src/base/db/sql.ts'
import { checkInvariants } from '../sim/people-invariants.ts'
import { seed, sizes } from '../sizes.ts'
import { reportOf, session } from '../support/devices.ts'
import { type Answer, drawDatabases, type Spawned } from '../support/harness.ts'
import { apps, type Exported, event, type Item, many } from '../support/people.ts'
import { countTalliedEvents } from '../support/tallies.ts'
import { pause } from './load.ts'
import { placeFor } from './restarts.ts'

const pairCount = 20
const deletionCount = 10
const eventsEach = 40
const itemsPerRequest = 10
/** The kill comes within this time after the first answer; most of the work is done by its end. */
const killMsMax = 250
const settledMsMax = 240_000
/** Work that a killed process had begun waits for seconds. */
const pauseMsMax = 200
const workspace = { settings: { rate_limits: { export_ids: 'unlimited' } }, apps: Object.values(apps) }
const fields = ['external_id', 'custom_attributes', 'custom_events', 'apps']

for (const database of drawDatabases('kills at work')) {
  test(`merges and deletions are done exactly once when the service is killed ${sizes.killsAtWork} times (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using place = await placeFor(database)
    let last: Killed | undefined
    let deleted = 0
    const inspect = async (service: Asking) => {
      if (!last) return
      const { people, asked, killedAt } = last
      await settled(service)
      const found = await check(service, people, asked)
      deleted += found.deleted
      const late = await finishedSince(service, killedAt)
      const counts = `${asked.size} requests answered, ${found.merged} merged, ${found.deleted} deleted`
      t.diagnostic(`${counts}, ${late} of them after the kill`)
    }
    for (let kill = 0; kill < sizes.killsAtWork; kill++) {
      const service = await place.start()
      if (kill === 0) await apply(service)
      await inspect(service)
      const people = peopleOf(`k${kill}`)
      await prepare(service, people)
      const asked = await askUntilKilled(service, people, chance.below(killMsMax))
      await place.settled()
      last = { people, asked, killedAt: new Date().toISOString() }
    }
    let db: Db | undefined
    const opened = (its: Db) => {
      db = its
    }
    await using service = await place.look({ opened })
    await inspect(service)
    await checkWhole(db!, deleted)
  })
}

type Asking = Pick<Spawned, 'post' | 'get' | 'adminToken'>

type Killed = { readonly people: People; readonly asked: Asked; readonly killedAt: string }

async function apply(service: Spawned): Promise<void> {
  const { status, text } = await service.post('/admin/apply', workspace, { key: service.adminToken })
  assert.ok(status < 300, text)
}

type People = {
  readonly pairs: readonly (readonly [gone: string, kept: string])[]
  readonly deletions: readonly string[]
}

function peopleOf(name: string): People {
  return {
    pairs: many(pairCount, (i) => [`${name}-gone${i}`, `${name}-kept${i}`] as const),
    deletions: many(deletionCount, (i) => `${name}-deleted${i}`),
  }
}

/** Creates people with events, a unique attribute each, and a session of one app. */
async function prepare(service: Spawned, { pairs, deletions }: People): Promise<void> {
  const make = async (external_id: string) => {
    const tracked = await service.post('/users/track', {
      attributes: [{ external_id, [external_id]: { inc: 3 } }],
      events: many(eventsEach, () => event({ external_id })),
    })
    const reported = await service.post(
      '/sdk/data',
      reportOf(`device-of-${external_id}`, { identifier: { external_id }, sessions: [session(8)] }),
    )
    for (const answer of [tracked, reported]) assert.equal(answer.status, 201, answer.text)
  }
  await Promise.all([...pairs.flat(), ...deletions].map(make))
}

/** The answers that arrived, by their requests. */
type Asked = Map<Item, Answer>

async function askUntilKilled(service: Spawned, { pairs, deletions }: People, afterMs: number): Promise<Asked> {
  const requests = [
    ...inParts(pairs).map((part) => ({ merge_updates: part.map(([gone, kept]) => update(gone, kept)) })),
    ...inParts(deletions).map((external_ids) => ({ external_ids })),
  ]
  const asked: Asked = new Map()
  const asking = requests.map(async (body) => {
    const path = 'merge_updates' in body ? '/users/merge' : '/users/delete'
    const answer = await service.post(path, body).catch(() => undefined)
    if (answer) asked.set(body, answer)
  })
  while (asked.size === 0) await pause(1)
  await pause(afterMs)
  const { signal } = await service.kill('SIGKILL')
  assert.equal(signal, 'SIGKILL')
  await Promise.all(asking)
  for (const { status, text } of asked.values()) assert.ok(status === 201 || status === 202, text)
  return asked
}

function inParts<T>(list: readonly T[]): T[][] {
  return many(Math.ceil(list.length / itemsPerRequest), (i) =>
    list.slice(i * itemsPerRequest, (i + 1) * itemsPerRequest),
  )
}

function update(gone: string, kept: string): Item {
  return { identifier_to_merge: { external_id: gone }, identifier_to_keep: { external_id: kept } }
}

/** Waits until the work that was accepted before the kill is done. */
async function settled(service: Asking): Promise<void> {
  const givenUpAt = performance.now() + settledMsMax
  for (const state of ['waiting', 'moving']) {
    for (let pauseMs = 20; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      const { body, text } = await service.get(`/admin/work?state=${state}&limit=1`, { key: service.adminToken })
      if (body.work.length === 0) break
      assert.ok(performance.now() < givenUpAt, text)
      await pause(pauseMs)
    }
  }
}

async function finishedSince(service: Asking, at: string): Promise<number> {
  const { body } = await service.get('/admin/work?limit=100', { key: service.adminToken })
  return body.work.filter(({ finished_at }: { finished_at: string }) => finished_at > at).length
}

/** Checks that each merge and deletion is done completely or not at all, and that those with an answered request are done. */
async function check(
  service: Asking,
  { pairs, deletions }: People,
  asked: Asked,
): Promise<{ merged: number; deleted: number }> {
  for (const { headers } of asked.values()) {
    const query = `request_id=${headers['x-request-id']}&limit=100`
    const { body } = await service.get(`/admin/work?${query}`, { key: service.adminToken })
    const outcomes = body.work.map(({ outcome }: { outcome: string }) => outcome)
    assert.deepEqual(outcomes, Array(itemsPerRequest).fill('done'))
  }
  const answered = JSON.stringify([...asked.keys()])
  const present = [...(await find(service, pairs.flat())), ...(await find(service, deletions))]
  const recordsOf = (ids: readonly string[]) => present.filter(({ external_id }) => ids.includes(external_id!))
  let merged = 0
  for (const pair of pairs) {
    const [gone, kept] = pair
    const records = recordsOf(pair)
    const wanted = records.length === 1 ? [unionOf(kept, [gone, kept])] : [unionOf(gone, [gone]), unionOf(kept, [kept])]
    assert.deepEqual(records.map(summaryOf).toSorted(byId), wanted.toSorted(byId))
    assert.ok(records.length === 1 || !answered.includes(`"${gone}"`), `${gone} was to be merged`)
    merged += records.length === 1 ? 1 : 0
  }
  let deleted = 0
  for (const external_id of deletions) {
    const records = recordsOf([external_id])
    assert.ok(records.length === 0 || !answered.includes(`"${external_id}"`), `${external_id} was to be deleted`)
    if (records.length === 0) deleted++
    else assert.deepEqual(records.map(summaryOf), [unionOf(external_id, [external_id])])
  }
  return { merged, deleted }
}

type Summary = { external_id: string; events: number; marks: Item; sessions: number }

/** Returns what a person has after a merge of these. */
function unionOf(external_id: string, parts: readonly string[]): Summary {
  const marks = Object.fromEntries(parts.map((part) => [part, 3]))
  return { external_id, events: parts.length * eventsEach, marks, sessions: parts.length }
}

function summaryOf({ external_id, custom_attributes, custom_events, apps: used }: Exported): Summary {
  return {
    external_id: external_id!,
    events: (custom_events ?? []).reduce((sum, { count }) => sum + count, 0),
    marks: custom_attributes ?? {},
    sessions: ((used ?? []) as { sessions: number }[]).reduce((sum, { sessions }) => sum + sessions, 0),
  }
}

function byId(a: Summary, b: Summary): number {
  return a.external_id < b.external_id ? -1 : 1
}

async function find(service: Asking, external_ids: readonly string[]): Promise<Exported[]> {
  const { status, text, body } = await service.post('/users/export/ids', { external_ids, fields_to_export: fields })
  assert.equal(status, 201, text)
  return body.users
}

/** Checks that no work is half done, and that the events of this many people stay counted although they are deleted. */
async function checkWhole(db: Db, deleted: number): Promise<void> {
  const query = async (text: string) => ({ rows: await db.query<Item>(raw(text)) })
  await checkInvariants({ query } as unknown as pg.Client, new Set())
  const counted = await countTalliedEvents((text) => db.query(raw(text)))
  const [row] = await db.query<{ count: number }>(raw('select count(*)::int as count from event'))
  assert.equal(counted - row!.count, deleted * eventsEach)
}
