import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { findDeliveredBetween } from '../../src/messaging/channels/email/delivered-store.ts'
import { findTokens } from '../../src/messaging/channels/push/consent-store.ts'
import { findSentText } from '../../src/messaging/channels/sms/sent-text-store.ts'
import { listEntryEligibility } from '../../src/messaging/delivery/entry-eligibility-store.ts'
import { sampleEngaged } from '../../src/messaging/expansion/engagement-times-store.ts'
import { type EngagementRow, upsertEngagements } from '../../src/messaging/feedback/engagement-store.ts'
import { findSentMessage } from '../../src/messaging/feedback/message-feedback-store.ts'
import { deleteUnknownDecisions } from '../../src/messaging/ledger/decision-store.ts'
import { addDeletedCounts } from '../../src/messaging/messages/deleted-messages-store.ts'
import { insertEntryMessages } from '../../src/messaging/messages/entry-messages-store.ts'
import { listSendIds } from '../../src/messaging/messages/send-ids-store.ts'
import { makeBouncedDue } from '../../src/messaging/statuses/status-store.ts'
import { numberAll } from '../../src/people/feed/number-events.ts'
import { insertEvents } from '../../src/people/feed/write-store.ts'
import type { Person } from '../../src/people/identity/person.ts'
import { onAllDatabases } from '../support/databases.ts'
import { act, add, at, dispatchId, insert, located, personOf, type Row, rowsOf, workspace_id } from './crowd.ts'

/** In an order that is not that of their buckets or shards. */
const numbers = [6, 1, 8, 3, 7, 2]
const [gone, kept] = [personOf(4), personOf(9)]
const sorted = (texts: Iterable<string>) => [...texts].sort()
const entryId = (n: number) => `11111111-0000-4000-8000-${String(n).padStart(12, '0')}`
/** The id of a message that was made for a person. */
const messageId = ({ bucket }: Person, n: number) => String((BigInt(bucket) << 51n) + BigInt(n))

function entry(n: number, more: Row = {}): Row {
  return {
    ...{
      entry_id: entryId(n),
      workspace_id,
      flow_id: 1,
      version: 1,
      class: 'marketing',
      state: 'sending',
      held: false,
    },
    ...{ in_control: false, step: 'hello', visit: 1, visits: {}, is_last: false, trail: [], is_duplicate: false },
    ...{ entered_at: at(n), dispatch_id: dispatchId(n), attempts: 0, properties: { n } },
    ...more,
  }
}

function message(message_id: string, cause: string, more: Row = {}): Row {
  return {
    ...{ message_id, workspace_id, cause, step: '', visit: 0, channel: 'email', class: 'marketing', state: 'accepted' },
    ...{ reason: 'sent', planned_at: at(1), due_at: at(2), attempts: 1, crashes: 0, rates_granted: 0 },
    ...{ maybe_sent: false, ended_at: at(9), flow_id: 1 },
    ...more,
  }
}

/** Adds the people, each with an entry of an order and a message of the entry. */
async function prepare(db: Db): Promise<void> {
  await insert(db, 'workspace', [{ workspace_id, id: 'w', name: 'w', settings: { feed: true }, created_at: at(1) }])
  await insert(db, 'app', [{ workspace_id, id: 'app', name: 'App', platform: 'ios', created_at: at(1) }])
  const flow = { workspace_id, kind: 'canvas', id: 'c', name: 'Welcome', state: 'active' }
  const times = { created_at: at(1), updated_at: at(1) }
  await db.query(sql`
    insert into flow (flow_id, workspace_id, kind, id, name, state, class, version, created_at, updated_at) overriding system value
    values (1, ${workspace_id}, ${flow.kind}, ${flow.id}, ${flow.name}, ${flow.state}, 'marketing', 1, ${times.created_at}::timestamptz,
      ${times.updated_at}::timestamptz)`)
  for (const n of numbers) {
    const who = personOf(n)
    const order = { dispatch_id: dispatchId(n), workspace_id, class: 'marketing', state: 'active', unsettled: false }
    await insert(db, 'dispatch', [{ ...order, ...times, sending: {}, send_id: `send-${n}` }])
    await add(db, who, {
      profile: { external_id: `person-${n}`, time_zone: `Zone/${n}` },
      entry: [entry(n)],
      message: [message(messageId(who, n), entryId(n), { links: [`https://a.example/${n}`] })],
    })
  }
}

/** Adds a person who is merged after, or before, a message to them was sent. Returns the message and the person of its token. */
async function addMerged(db: Db, channel: string, isMergedFirst: boolean) {
  const message_id = messageId(gone, 44)
  await add(db, gone, { message: [message(message_id, dispatchId(4), { channel, address: 'a' })] })
  await add(db, kept, {})
  await act(db, { type: 'merge', from: gone, into: kept })
  return { message_id, profile_id: (isMergedFirst ? kept : gone).profile_id }
}

for (const isMergedFirst of [false, true]) {
  const name = isMergedFirst ? 'before it was sent' : 'after it was sent'
  onAllDatabases(`the message of a token is found when its person was merged ${name}`, async (open) => {
    for (const [channel, find] of [['email', findSentMessage] as const, ['sms', findSentText] as const]) {
      const db = await open()
      await prepare(db)
      const target = await addMerged(db, channel, isMergedFirst)
      const found = await find(db, target)
      assert.deepEqual([found?.bucket, found?.message_id, found?.address], [kept.bucket, target.message_id, 'a'])
      const own = { profile_id: personOf(6).profile_id, message_id: messageId(personOf(6), 6) }
      assert.equal((await find(db, own))?.bucket, channel === 'email' ? personOf(6).bucket : undefined)
      assert.equal(await find(db, { ...own, message_id: '1' }), undefined)
    }
  })
}

onAllDatabases(
  'the tokens of a push are those of the person, of the kept one after a merge, or of nobody',
  async (open) => {
    const db = await open()
    await prepare(db)
    const token = (n: number) => {
      return [{ app_id: 'app', token: `t${n}`, device_id: `d${n}`, notifications_enabled: true, created_at: at(n) }]
    }
    const device = (n: number) => [{ device_id: `d${n}`, ad_tracking_enabled: true, created_at: at(n) }]
    await add(db, gone, { device: device(4), push_token: token(4) })
    await add(db, kept, { device: device(9), push_token: token(9) })
    const find = async (who: Person) => {
      const found = await findTokens(db, who, 'ios')
      return found && [found.owner.profile_id, ...sorted(found.tokens.map((each) => `${each.device_id} ${each.token}`))]
    }
    assert.deepEqual(await find(gone), [gone.profile_id, 'd4 t4'])
    await act(db, { type: 'merge', from: gone, into: kept })
    for (const who of [gone, kept]) assert.deepEqual(await find(who), [kept.profile_id, 'd4 t4', 'd9 t9'])
    assert.deepEqual(await find(personOf(6)), [personOf(6).profile_id])
    await act(db, { type: 'delete', from: kept })
    for (const who of [gone, kept, personOf(5)]) assert.equal(await find(who), undefined)
  },
)

onAllDatabases('entries, flows and send ids of messages are found on all shards', async (open) => {
  const db = await open()
  await prepare(db)
  const given = [...numbers, 5].map((n) => ({ ...personOf(n), cause: entryId(n), flow_id: 1 }))
  const rows = await listEntryEligibility(db, given, true)
  assert.deepEqual(
    rows.sort((a, b) => a.n - b.n).map((row) => [row.n, row.entry_state, row.properties, row.name, row.time_zone]),
    [...numbers.map((n, i) => [i + 1, 'sending', { n }, 'Welcome', `Zone/${n}`]), [7, null, null, 'Welcome', null]],
  )
  const ofOrder = { bucket: personOf(5).bucket, cause: dispatchId(7) }
  assert.deepEqual(
    sorted([...(await listSendIds(db, [...given, ofOrder]))].map((pair) => pair.join(' '))),
    sorted([...numbers.map((n) => `${entryId(n)} send-${n}`), `${dispatchId(7)} send-7`]),
  )
})

onAllDatabases('the sends of bounced messages are due, and no others', async (open) => {
  const db = await open()
  await prepare(db)
  const send = {
    workspace_id,
    campaign_id: 'c',
    is_current: false,
    expires_at: at(50),
    accepted_at: at(1),
    due_at: null,
  }
  const rest = { told: 0, attempts: 0 }
  await insert(
    db,
    'transactional_send',
    numbers.map((n) => ({ ...send, ...rest, dispatch_id: dispatchId(n) })),
  )
  const bounced = numbers.filter((n) => n !== 8)
  const keys = bounced.map((n) => ({ bucket: personOf(n).bucket, message_id: messageId(personOf(n), n) }))
  await db.transaction((tx) => makeBouncedDue(tx, keys, Date.parse(at(20))))
  const due = (await rowsOf(db, 'transactional_send')).filter(({ due_at }) => due_at !== null)
  assert.deepEqual(sorted(due.map((row) => String(row.dispatch_id))), sorted(bounced.map(dispatchId)))
})

onAllDatabases('a series of soft bounces ends with another message to the address', async (open) => {
  const db = await open()
  await prepare(db)
  const address = (n: number) => `person-${n}@example.com`
  const given = numbers.map((n) => {
    const { bucket, value } = located('email', address(n))
    return {
      bucket: personOf(n).bucket,
      message_id: messageId(personOf(n), 100 + n),
      hidden: { bucket, workspace_id, value },
    }
  })
  /**
   * The other message: to 6 it arrived after the soft bounce, to 1 before it, to 8 it arrived and bounced later, to 3 it arrived after the
   * bounced message. There is none to 7, and 2 has no soft bounce.
   */
  const arrived: Readonly<Record<number, Row>> = {
    6: { ended_at: at(12) },
    1: { ended_at: at(10) },
    8: { ended_at: at(12), bounced_at: at(13) },
    3: { ended_at: at(15) },
    2: { ended_at: at(12) },
  }
  for (const n of numbers) {
    const { bucket, profile_id } = personOf(n)
    const row = (id: number, more: Row) => {
      const key = { bucket, profile_id, step: String(id), address: address(n) }
      return { ...message(messageId(personOf(n), id), dispatchId(n)), ...key, ...more }
    }
    await insert(db, 'message', [
      row(100 + n, { state: 'bounced', reason: 'refused_by_server', ended_at: at(14) }),
      ...(arrived[n] ? [row(200 + n, arrived[n])] : []),
    ])
    if (n !== 2) await insert(db, 'soft_bounce', [{ ...located('email', address(n)), count: 1, at: at(11) }])
  }
  assert.deepEqual([...(await findDeliveredBetween(db, given))], [messageId(personOf(6), 106)])
  // A soft bounce of another workspace is another one.
  await db.query(sql`update soft_bounce set workspace_id = 2`)
  assert.deepEqual([...(await findDeliveredBetween(db, given))], [])
})

function opened(n: number, more: Partial<EngagementRow> = {}): EngagementRow {
  const person = personOf(n)
  return {
    ...{ person, message_id: messageId(person, n), channel: 'email', kind: 'clicked', link: 0, count: 1, workspace_id },
    ...{
      firstMs: Date.parse(at(20)),
      lastMs: Date.parse(at(20 + n)),
      flow_id: 1,
      variant: null,
      step: '',
      send_id: null,
    },
    ...more,
  }
}

onAllDatabases(
  'engagements are added on all shards, and the feed has an event with the link for each new one',
  async (open) => {
    const db = await open()
    await prepare(db)
    const byKey = [...numbers].sort((a, b) => personOf(a).bucket - personOf(b).bucket)
    const add = (rows: readonly EngagementRow[]) =>
      db.transaction((tx) => upsertEngagements(tx, rows, Date.parse(at(30)) * 1000))
    const some = byKey.filter((n) => n !== 3)
    assert.deepEqual([...(await add(some.map((n) => opened(n))))].sort(), some.keys().toArray())
    assert.deepEqual([...(await add(byKey.map((n) => opened(n))))], [byKey.indexOf(3)])
    const stored = await rowsOf(db, 'engagement')
    assert.deepEqual(
      sorted(stored.map((row) => `${row.profile_id} ${row.count}`)),
      sorted(numbers.map((n) => `${personOf(n).profile_id} ${n === 3 ? 1 : 2}`)),
    )
    const told = (await rowsOf(db, 'feed_event')).map(
      (row) => `${row.profile_id} ${JSON.parse(String(row.details)).url}`,
    )
    assert.deepEqual(sorted(told), sorted(numbers.map((n) => `${personOf(n).profile_id} https://a.example/${n}`)))
    const sampleOf = (below: number, limit: number) => sampleEngaged(db, workspace_id, below, 0, limit)
    const zonesIn = async (below: number) =>
      sorted((await sampleOf(below, 100)).map(({ time_zone }) => time_zone ?? ''))
    assert.deepEqual(await zonesIn(4096), sorted(numbers.map((n) => `Zone/${n}`)))
    assert.deepEqual(await zonesIn(personOf(3).bucket + 1), ['Zone/1', 'Zone/2', 'Zone/3'])
    assert.equal((await sampleOf(4096, 4)).length, 4)
  },
)

onAllDatabases(
  'messages of entries are queued on all shards, those of merged people for the kept ones',
  async (open) => {
    const db = await open()
    await prepare(db)
    await add(db, gone, {})
    await add(db, kept, {})
    await act(db, { type: 'merge', from: gone, into: kept })
    const queued = (n: number) => ({
      ...{ person: personOf(n), message_id: messageId(personOf(n), 300 + n), workspace_id, entry_id: entryId(300 + n) },
      ...{
        step: 'hello',
        visit: 1,
        channel: 'email',
        class: 'marketing' as const,
        flow_id: 1,
        flow_version: 1,
        variant: null,
      },
      dueMs: Date.parse(at(30)),
    })
    // Nobody is number 5.
    const given = [...numbers, 4, 5].map(queued)
    for (const messages of [given.slice(0, 3), given, given])
      await db.transaction((tx) => insertEntryMessages(tx, messages))
    const rows = (await rowsOf(db, 'message')).filter(({ state }) => state === 'queued')
    assert.deepEqual(
      sorted(rows.map((row) => `${row.cause} ${row.bucket} ${row.profile_id}`)),
      sorted([
        ...numbers.map((n) => `${entryId(300 + n)} ${personOf(n).bucket} ${personOf(n).profile_id}`),
        `${entryId(304)} ${kept.bucket} ${kept.profile_id}`,
      ]),
    )
  },
)

onAllDatabases(
  'decisions about identifiers that nobody had are deleted on all shards, and counted once',
  async (open) => {
    const db = await open()
    const about = { workspace_id, cause: dispatchId(1), step: '', visit: 0, channel: 'email', time: at(5) }
    const unknown = numbers.map((n) => ({ bucket: personOf(n).bucket, workspace_id, asked: { external_id: `x${n}` } }))
    const rowOf = (n: number, reason: string) => {
      return { ...about, bucket: personOf(n).bucket, profile_id: 0, reason, asked: { external_id: `x${n}` } }
    }
    await insert(db, 'decision', [...[...numbers, 5].map((n) => rowOf(n, 'unknown_user')), rowOf(2, 'missed')])
    for (const _ of ['deleted', 'nothing left'])
      await db.transaction(async (tx) => addDeletedCounts(tx, await deleteUnknownDecisions(tx, unknown)))
    const left = (await rowsOf(db, 'decision')).map(({ asked }) => JSON.parse(String(asked)).external_id)
    assert.deepEqual(left, ['x5'])
    const counts = (await rowsOf(db, 'deleted_messages')).map(({ reason, count }) => `${reason} ${count}`)
    assert.deepEqual(sorted(counts), ['missed 1', `unknown_user ${numbers.length}`])
  },
)

onAllDatabases('events of people on all shards get their positions in the order of their times', async (open) => {
  const db = await open()
  await prepare(db)
  const events = numbers.map((n, i) => ({
    ...{ type: 'person.created' as const, workspace_id, person: personOf(n), key: String(n) },
    stampUs: Date.parse(at(30 - i)) * 1000,
  }))
  for (const some of [events.slice(2), events.slice(0, 2)]) {
    await db.transaction((tx) => insertEvents(tx, some))
    while ((await numberAll(db)).more);
  }
  const rows = (await rowsOf(db, 'feed_event')).sort((a, b) => Number(a.position) - Number(b.position))
  assert.deepEqual(
    rows.map(({ position, external_id }) => `${position} ${external_id}`),
    [2, 7, 3, 8, 1, 6].map((n, i) => `${Number(rows[0]!.position) + i} person-${n}`),
  )
})
