import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { bootstrap } from '../../src/accounts/keys/bootstrap.ts'
import { systemClock } from '../../src/base/clock.ts'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { numberAll, numberedMax } from '../../src/people/feed/number-events.ts'
import { findFeed } from '../../src/people/feed/number-store.ts'
import { findPage } from '../../src/people/feed/read-feed.ts'
import { insertEvents, type NewEvent } from '../../src/people/feed/write-store.ts'
import { insertWebhooks } from '../../src/people/webhooks/config-store.ts'
import {
  claimWebhooks,
  type DeliveryProgress,
  insertAttempts,
  type LeasedWebhook,
  type NewAttempt,
  writeProgress,
} from '../../src/people/webhooks/delivery-store.ts'
import { listAttempts, listDeliveries, moveBack } from '../../src/people/webhooks/state-store.ts'
import { onAllDatabases } from '../support/databases.ts'
import { many } from '../support/people.ts'
import { add, personOf, workspace_id } from './crowd.ts'

const clock = systemClock()
const [ann, bob] = [personOf(1), personOf(2)]

async function prepared(db: Db): Promise<void> {
  await bootstrap(db, clock, {})
  await add(db, ann, { profile: { external_id: 'ann' } })
  await add(db, bob, { profile: { external_id: 'bob' } })
  await db.query(sql`update workspace set settings = '{"feed": true}'`)
}

let made = 0
function changed(state: string, more: Partial<NewEvent> = {}): NewEvent {
  const key = String(made++)
  const details = { channel: 'email', state }
  return { type: 'subscription.changed', workspace_id, person: ann, key, stampUs: clock.stamp(), details, ...more }
}

const write = (db: Db, ...events: readonly NewEvent[]) => db.transaction((tx) => insertEvents(tx, events))

async function numbered(db: Tx & Db): Promise<void> {
  while ((await numberAll(db)).more);
}

async function statesIn(db: Db, after = 0n): Promise<string[]> {
  const { rows } = await findPage(db, workspace_id, after, [], 1_000)
  return rows.map(({ details }) => JSON.parse(details!).state)
}

onAllDatabases('events of a workspace without a feed are not written', async (open) => {
  const db = await open()
  await prepared(db)
  await db.query(sql`update workspace set settings = '{"feed": false}'`)
  await write(db, changed('a'))
  await db.query(sql`update workspace set settings = '{}'`)
  await write(db, changed('b'))
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int4 as count from feed_event`)
  assert.equal(row!.count, 0)
})

onAllDatabases(
  'events of one transaction with equal times keep their order, and each is written once',
  async (open) => {
    const db = await open()
    await prepared(db)
    const stampUs = clock.stamp()
    const events = many(50, (i) => changed(`s${i}`, { stampUs, person: i % 2 === 0 ? ann : bob }))
    await write(db, ...events)
    await write(db, ...events)
    await numbered(db)
    assert.deepEqual(
      await statesIn(db),
      events.map((_, i) => `s${i}`),
    )
  },
)

onAllDatabases('more events than a turn numbers get their positions one after the other', async (open) => {
  const db = await open()
  await prepared(db)
  const events = many(numberedMax + 1, (i) => changed(`s${i}`))
  await write(db, ...events)
  const first = await numberAll(db)
  assert.deepEqual([first.count, first.more], [numberedMax, true])
  const second = await numberAll(db)
  assert.deepEqual([second.count, second.more], [1, false])
  assert.deepEqual((await statesIn(db, BigInt(numberedMax)))[0], `s${numberedMax}`)
})

onAllDatabases('an event whose transaction commits late is not skipped', async (open, t) => {
  const [db, other] = await open.processes(2)
  if (!other) return t.skip('the embedded database has one session')
  await prepared(db!)
  const committing = Promise.withResolvers<void>()
  const written = Promise.withResolvers<void>()
  const late = other.transaction(async (tx) => {
    await insertEvents(tx, [changed('late', { person: bob })])
    written.resolve()
    await committing.promise
  })
  await written.promise
  await write(db!, changed('early'))
  await numbered(db!)
  const page = await findPage(db!, workspace_id, 0n, [], 10)
  assert.deepEqual(await statesIn(db!), ['early'])
  committing.resolve()
  await late
  await numbered(db!)
  assert.deepEqual(await statesIn(db!, page.next), ['late'])
})

onAllDatabases('a position is given once by two processes at the same time', async (open) => {
  const processes = await open.processes(2)
  const [db] = processes
  await prepared(db!)
  const events = many(300, (i) => changed(`s${i}`))
  const writing = (async () => {
    for (const event of events) await write(db!, event)
  })()
  let isWritten = false
  void writing.then(() => {
    isWritten = true
  })
  const numbering = processes.map(async (each) => {
    while (!isWritten) await numberAll(each)
  })
  await Promise.all([writing, ...numbering])
  await numbered(db!)
  const { rows } = await findPage(db!, workspace_id, 0n, [], 1_000)
  assert.equal(new Set(rows.map(({ position }) => position)).size, events.length)
  assert.deepEqual(
    rows.map(({ details }) => JSON.parse(details!).state),
    events.map((_, i) => `s${i}`),
  )
})

const addWebhook = (tx: Tx) =>
  insertWebhooks(
    tx,
    workspace_id,
    [{ id: 'crm', name: 'CRM', url: 'https://crm.example.com/', event_types: [], state: 'active', secret: 'whsec_x' }],
    new Date(clock.now()),
  )

const feedOf = async (db: Db) => (await findFeed(db, workspace_id))!

onAllDatabases('a webhook that switches the feed on has lost nothing', async (open) => {
  const db = await open()
  await prepared(db)
  await write(db, changed('a'))
  await numbered(db)
  await db.query(sql`update workspace set settings = '{}'`)
  await numbered(db)
  assert.equal((await feedOf(db)).is_on, false)
  await db.transaction((tx) => addWebhook(tx))
  const feed = await feedOf(db)
  assert.deepEqual([feed.is_on, feed.last_position, feed.lost_position], [true, '2', '2'])
  await write(db, changed('b'))
  await numbered(db)
  assert.equal((await listDeliveries(db, workspace_id))[0]!.position, '2')
  assert.equal((await feedOf(db)).lost_position, '2')
  assert.deepEqual(await statesIn(db, 2n), ['b'])
})

onAllDatabases('a feed stays on when a webhook is made while a worker switches it off', async (open, t) => {
  const [db, other] = await open.processes(2)
  if (!other) return t.skip('the embedded database has one session')
  await prepared(db!)
  await numbered(db!)
  await db!.query(sql`update workspace set settings = '{}'`)
  const [made, committing] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const making = other.transaction(async (tx) => {
    await addWebhook(tx)
    made.resolve()
    await committing.promise
  })
  await made.promise
  await numbered(db!)
  committing.resolve()
  await making
  await numbered(db!)
  const { is_on, last_position, lost_position } = await feedOf(db!)
  assert.deepEqual([is_on, last_position, lost_position], [true, '0', '0'])
})

async function leased(db: Db): Promise<LeasedWebhook> {
  await prepared(db)
  await addWebhook(db)
  await write(db, changed('a'), changed('b'))
  await numbered(db)
  const nowMs = clock.elapsed()
  const [claimed] = await claimWebhooks(db, 10, randomUUID(), nowMs, nowMs + 1_000)
  assert.ok(claimed)
  return claimed
}

function attempt(more: Partial<NewAttempt> = {}): NewAttempt {
  const ids = {
    attempt_id: randomUUID(),
    event_id: randomUUID(),
    type: 'person.created',
    position: '1',
    subject_id: null,
  }
  return { ...ids, atMs: clock.elapsed(), durationMs: 5, status: 204, error: null, answer: null, ...more }
}

const progress: DeliveryProgress = {
  ...{ position: 2n, ahead: [], failures: 0, failingSinceMs: undefined, dueMs: 0, deliveredMs: undefined },
  ...{ lost: 0n, leasedUntilMs: undefined },
}

onAllDatabases('a lease that ends while a request is in flight loses no attempt and no event', async (open) => {
  const db = await open()
  const webhook = await leased(db)
  const { id } = webhook
  const laterMs = clock.elapsed() + 2_000
  assert.deepEqual(await claimWebhooks(db, 10, randomUUID(), clock.elapsed(), laterMs), [])
  const [taken] = await claimWebhooks(db, 10, randomUUID(), laterMs, laterMs + 1_000)
  assert.ok(taken, 'another worker has it after the lease')
  await insertAttempts(db, webhook, [attempt()], 200)
  assert.equal(await writeProgress(db, webhook, progress), false)
  assert.equal((await listAttempts(db, { workspace_id, id }, 10)).length, 1)
  assert.equal((await listDeliveries(db, workspace_id))[0]!.position, '0')
  assert.equal(await writeProgress(db, taken, progress), true)
  assert.equal((await listDeliveries(db, workspace_id))[0]!.position, '2')
})

onAllDatabases('a replay wins over a delivery that was in flight, and never moves forward', async (open) => {
  const db = await open()
  const webhook = await leased(db)
  const key = { workspace_id, id: webhook.id }
  assert.equal(
    await writeProgress(db, webhook, { ...progress, position: 1n, leasedUntilMs: clock.elapsed() + 9e6 }),
    true,
  )
  assert.equal(await moveBack(db, key, 0n), 0n)
  assert.equal(await writeProgress(db, webhook, progress), false)
  assert.equal(await moveBack(db, key, 5n), 0n)
  assert.equal((await listDeliveries(db, workspace_id))[0]!.position, '0')
})

onAllDatabases('the newest attempts of a webhook are kept', async (open) => {
  const db = await open()
  const webhook = await leased(db)
  const key = { workspace_id, id: webhook.id }
  const attempts = many(5, (i) => attempt({ atMs: clock.elapsed() + i, type: `t${i}` }))
  for (const [count, kept] of [
    [2, ['t1', 't0']],
    [3, ['t2', 't1', 't0']],
    [4, ['t3', 't2', 't1']],
  ] as const) {
    await insertAttempts(db, key, attempts.slice(0, count), 3)
    assert.deepEqual(
      (await listAttempts(db, key, 10)).map(({ type }) => type),
      kept,
    )
  }
  await db.query(sql`delete from webhook`)
  await insertAttempts(db, { workspace_id, id: 'other' }, attempts, 3)
  assert.deepEqual(await listAttempts(db, { workspace_id, id: 'other' }, 10), [])
})
