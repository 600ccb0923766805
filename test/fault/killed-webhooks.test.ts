import assert from 'node:assert/strict'
import test from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { eventually } from '../support/eventually.ts'
import { type FeedLine, readPage } from '../support/feed.ts'
import { drawDatabases, type Service, type Spawned, spawnService, startService } from '../support/harness.ts'
import { groups, many } from '../support/people.ts'
import { assertOrdered, type Reaction, type Receiver, startReceiver } from '../support/receiver.ts'
import { campaign, triggeredWorkspace } from '../support/triggers.ts'
import { temporaryFolder } from './folders.ts'
import { pause } from './load.ts'

const crowd = 40
const kills = sizes.killsAtWebhooks
const states = ['subscribed', 'unsubscribed'] as const
/** A request without an answer ends after seconds, so few of them are left unanswered. */
const reactions: readonly Reaction[] = [204, 204, 204, 204, 204, 204, 500, 503, 301, 410]
const stallsMax = 2

type Any = Service | Spawned

for (const database of drawDatabases('kills at webhooks')) {
  test(`a receiver that fails, stalls, restarts and answers 410 misses nothing and keeps the order (${database})`, async (t) => {
    t.diagnostic(`seed ${seed}`)
    const chance = new Random(seed)
    await using stack = new AsyncDisposableStack()
    const { path: dataDir } = stack.use(temporaryFolder())
    const receiver = await startReceiver()
    stack.defer(() => receiver.stop())
    const databaseUrl = database === 'postgres' ? await newDatabase('killed_webhooks') : undefined
    const env = {
      EASEL_FETCH_ALLOW: `127.0.0.1:${receiver.port}`,
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
    }
    const start = async () => stack.use(await spawnService({ dataDir, env }))
    let service: Any = await start()
    await prepare(service, receiver)
    let stalls = 0
    receiver.react(() => {
      // The first is never answered: while it is open, events of others are sent.
      if (stalls < stallsMax && (stalls === 0 || chance.below(60) === 0)) {
        stalls++
        return 'never'
      }
      return chance.pick(reactions)
    })
    for (let kill = 0; kill <= kills; kill++) {
      if (kill > 0) service = await start()
      await change(service, chance, kill)
      const wanted = receiver.received.length + 20 + chance.below(40)
      await hurry(service, () => receiver.received.length >= wanted)
      if (chance.below(2) === 0) {
        await receiver.stop()
        await pause(20)
        await receiver.start()
      }
      if (kill < kills) await (service as Spawned).kill('SIGKILL')
      else await (service as Spawned).stop()
    }
    let db: Db | undefined
    // The last service is not killed, so it needs no separate process.
    await using last = await startService({
      env: { EASEL_DATA: dataDir, ...env },
      opened: (own) => {
        db = own
      },
    })
    receiver.react(() => 204)
    const lines = await wholeFeed(last)
    await hurry(last, async () => (await deliveryOf(last)).waiting === 0)
    const ids = new Set(receiver.taken().map(({ id }) => id))
    assert.deepEqual(
      lines.filter(({ id }) => !ids.has(id)).map(({ type }) => type),
      [],
      'no event is lost',
    )
    assertOrdered(
      receiver.taken(),
      lines.map(({ id, data }) => ({ id, person: data.person.service_id })),
    )
    assert.equal(receiver.forged, 0)
    assert.ok(receiver.openMax > 1, 'events of several people were sent at the same time')
    await assertLedger(db!, last, lines)
    t.diagnostic(`${lines.length} events in ${receiver.received.length} requests`)
  })
}

async function prepare(service: Any, { url, trust }: Receiver): Promise<void> {
  const workspace = { ...triggeredWorkspace, campaigns: [campaign('news')], webhooks: [{ name: 'crm', url }] }
  const { body } = await service.admin('POST', '/admin/apply', workspace)
  trust(body.secrets.find(({ member }: { member: string }) => member === 'webhooks').key)
}

/** Makes people, changes what they are subscribed to, and sends them mail. */
async function change(service: Any, chance: Random, round: number): Promise<void> {
  const ids = many(crowd, (i) => `p${i}`)
  const track = async (attributes: readonly object[]) => {
    const { status, text } = await service.post('/users/track', { attributes })
    assert.equal(status, 201, text)
  }
  await track(ids.map((external_id) => ({ external_id, email: `${external_id}@example.com`, round })))
  for (let i = 0; i < 4; i++) {
    await track(
      ids.map((external_id) => ({
        external_id,
        email_subscribe: chance.pick(['subscribed', 'unsubscribed', 'opted_in']),
        subscription_groups: [{ subscription_group_id: groups.news.id, subscription_state: chance.pick(states) }],
      })),
    )
  }
  const recipients = ids.map((external_user_id) => ({ external_user_id }))
  const sent = await service.post('/campaigns/trigger/send', { campaign_id: 'news', recipients })
  assert.equal(sent.status, 201, sent.text)
}

type Delivery = { readonly id: string; readonly waiting: number; readonly state: string; readonly failures: number }

async function deliveryOf(service: Any): Promise<Delivery> {
  return (await service.admin('GET', '/admin/webhook_deliveries')).body.deliveries[0]
}

/** Resumes the webhook whenever it fails or is set aside, until something holds. */
async function hurry(service: Any, holds: () => boolean | Promise<boolean>): Promise<void> {
  await eventually('the receiver gets its events', async () => {
    if (await holds()) return true
    const { id, state, failures } = await deliveryOf(service)
    if (state === 'set_aside' || failures > 0) await service.admin('POST', `/admin/webhooks/${id}/resume`)
    return false
  })
}

/** Reads the feed from its beginning, when every message has ended and every event has its position. */
async function wholeFeed(service: Any): Promise<FeedLine[]> {
  await eventually('every message has ended', async () => {
    const { body } = await service.admin('GET', '/admin/messages?limit=200')
    return body.messages.every(({ family }: { family: string }) => family !== 'waiting')
  })
  for (let quiet = 0, last = ''; quiet < 3; ) {
    const { next } = await readPage(service, '?cursor=end&wait=1')
    quiet = next === last ? quiet + 1 : 0
    last = next
  }
  const lines: FeedLine[] = []
  for (let cursor = ''; ; ) {
    const page = await readPage(service, `?limit=500${cursor}`)
    if (page.lines.length === 0) return lines
    lines.push(...page.lines)
    cursor = `&cursor=${page.next}`
  }
}

/** Compares the feed with the ledger, with the people and with their states. */
async function assertLedger(db: Db, service: Any, lines: readonly FeedLine[]): Promise<void> {
  const decisions = await db.query<{ message_id: string; reason: string }>(sql`
    select message_id::text as message_id, reason from decision where message_id is not null`)
  const keyOf = ({ message_id, reason }: { message_id: string; reason: string }) => `${message_id} ${reason}`
  const told = lines.filter(({ data }) => data.message_id !== undefined).map(({ data }) => keyOf(data as never))
  assert.deepEqual(told.sort(), decisions.map(keyOf).sort())
  assert.ok(decisions.length >= crowd, `${decisions.length} decisions`)
  const created = lines.filter(({ type }) => type === 'person.created').map(({ data }) => data.person.external_id)
  assert.deepEqual(created.toSorted(), many(crowd, (i) => `p${i}`).sort())
  const email = new Map<string, string>()
  const group = new Map<string, string>()
  for (const { type, data } of lines) {
    if (type !== 'subscription.changed') continue
    const states = data.subscription_group_id === undefined ? email : group
    states.set(data.person.external_id!, data.state)
  }
  for (let from = 0; from < crowd; from += 40) {
    const external_ids = many(40, (i) => `p${from + i}`)
    const asked = { external_ids, fields_to_export: ['external_id', 'email_subscribe'] }
    const { users } = (await service.post('/users/export/ids', asked)).body
    for (const { external_id, email_subscribe } of users)
      assert.equal(email.get(external_id) ?? 'subscribed', email_subscribe, external_id)
    const query = external_ids.map((id) => `external_id[]=${id}`).join('&')
    const { status } = (await service.get(`/subscription/status/get?subscription_group_id=${groups.news.id}&${query}`))
      .body
    for (const [external_id, state] of Object.entries(status as Record<string, string>))
      assert.equal(group.get(external_id), state.toLowerCase(), external_id)
  }
}
