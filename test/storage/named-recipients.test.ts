import assert from 'node:assert/strict'
import { sql } from '../../src/base/db/sql.ts'
import { openPages } from '../../src/messaging/expansion/pages.ts'
import { claimSlot, insertSlots } from '../../src/messaging/orders/slot-store.ts'
import { type Person, person } from '../../src/people/identity/person.ts'
import { onAllDatabases } from '../support/databases.ts'
import { expandServices } from '../support/expansion.ts'
import { act, add, at, dispatchId, insert, located, parts, personOf, rowsOf, workspace_id } from './crowd.ts'

const [kept, gone, third] = [1, 2, 3].map(personOf) as [Person, Person, Person]
/** Returns a person in the bucket of `kept`. */
const neighbour = person(kept.bucket, String(kept.key + 7n))
const lease = '11111111-0000-4000-8000-000000000001'

onAllDatabases(
  'a recipient who is merged after the claim becomes the kept person, and one who is deleted is unknown',
  async (open) => {
    const db = await open()
    await add(db, gone, { profile: { external_id: 'gone' } })
    await add(db, kept, { profile: { external_id: 'kept' } })
    await add(db, third, { profile: { external_id: 'third' } })
    const recipients = [{ external_user_id: 'gone' }, { external_user_id: 'third' }]
    const order = { dispatch_id: dispatchId(1), workspace_id, class: 'marketing' } as const
    const times = { created_at: at(1), updated_at: at(1), unsettled: false }
    await insert(db, 'dispatch', [{ ...order, ...times, state: 'active', sending: { recipients, broadcast: false } }])
    const nowMs = parts.clock.now()
    await insertSlots(db, order, 'waiting', [{ zone: '', dueMs: nowMs }])
    const claimed = await claimSlot(db, lease, 'new', { nowMs, elapsedMs: 0, untilMs: 1 })
    await act(db, { type: 'merge', from: gone, into: kept }, { type: 'delete', from: third })
    const pages = await openPages(claimed!, expandServices(db, parts.clock))
    assert.equal(await pages.next(), false)
    const found = await db.query(sql`select profile_id, state from message`)
    assert.deepEqual(found, [{ profile_id: kept.profile_id, state: 'queued' }])
    assert.deepEqual(await rowsOf(db, 'decision'), [])
  },
)

onAllDatabases('a recipient who is merged into a person without identifiers becomes that person', async (open) => {
  const db = await open()
  for (const [who, external_id] of [
    [gone, 'gone'],
    [third, 'third'],
  ] as const) {
    await add(db, who, { profile: { external_id } })
  }
  await add(db, neighbour, {})
  await add(db, kept, { profile: { external_id: null, email: 'kept@example.com' } })
  const order = { workspace_id, class: 'marketing' } as const
  const nowMs = parts.clock.now()
  const ids = [dispatchId(1), dispatchId(2)] as const
  for (const dispatch_id of ids) {
    const recipients = [{ external_user_id: 'gone' }, { external_user_id: 'third' }, { external_user_id: 'gone' }]
    const times = { created_at: at(1), updated_at: at(1), unsettled: false }
    const sending = { recipients, broadcast: false }
    await insert(db, 'dispatch', [{ ...order, dispatch_id, ...times, state: 'active', sending }])
    await insertSlots(db, { ...order, dispatch_id }, 'waiting', [{ zone: '', dueMs: nowMs }])
  }
  const expand = async () => {
    const claimed = await claimSlot(db, lease, 'new', { nowMs, elapsedMs: 0, untilMs: 1 })
    const pages = await openPages(claimed!, expandServices(db, parts.clock))
    assert.equal(await pages.next(), false)
    return db.query(sql`select profile_id, state from message where cause = ${claimed!.dispatch_id}::uuid order by 1`)
  }
  // Merges one after the other, at last one of the kept people into the other.
  await act(db, { type: 'merge', from: gone, into: neighbour }, { type: 'merge', from: third, into: kept })
  await act(db, { type: 'merge', from: neighbour, into: kept })
  assert.deepEqual(await expand(), [{ profile_id: kept.profile_id, state: 'queued' }])
  await act(db, { type: 'delete', from: kept })
  assert.deepEqual(await expand(), [])
  assert.deepEqual(await rowsOf(db, 'decision'), [])
  const left = await db.query(sql`select sending -> 'recipients' as recipients from dispatch`)
  assert.deepEqual(left, [{ recipients: [] }, { recipients: [] }])
})

onAllDatabases('orders with a merged person as recipient get the kept one', async (open) => {
  const db = await open()
  const alias = (alias_label: string, alias_name: string) => ({ user_alias: { alias_name, alias_label } })
  await add(db, gone, {
    profile: { external_id: 'gone' },
    former_id: [{ external_id: 'former', at: at(1) }],
    profile_alias: [
      { alias_label: 'crm', alias_name: 'A' },
      { alias_label: 'shop', alias_name: 'A' },
    ],
  })
  await add(db, kept, { profile: { external_id: 'kept' }, profile_alias: [{ alias_label: 'crm', alias_name: 'B' }] })
  await add(db, third, { profile: { external_id: 'third' } })
  await add(db, neighbour, { profile_alias: [{ alias_label: 'crm', alias_name: 'C' }] })
  const order = (n: number, ...recipients: object[]) => ({
    ...{
      dispatch_id: dispatchId(n),
      workspace_id,
      class: 'marketing',
      state: 'active',
      created_at: at(1),
      updated_at: at(1),
    },
    ...{ sending: { recipients, broadcast: false }, unsettled: false },
  })
  const id = (external_user_id: string) => ({ external_user_id })
  await insert(db, 'dispatch', [
    order(1, id('other'), id('gone'), id('former'), alias('crm', 'A'), alias('shop', 'A'), alias('crm', 'B')),
    order(2, id('third')),
  ])
  await insert(db, 'decision', [
    {
      ...{
        bucket: located('external_id', 'gone').bucket,
        profile_id: 0,
        workspace_id,
        time: at(3),
        cause: dispatchId(3),
      },
      ...{ step: '', visit: 0, channel: 'email', reason: 'no_such_user', asked: id('gone') },
    },
  ])
  await act(db, { type: 'merge', from: gone, into: kept }, { type: 'merge', from: third, into: neighbour })
  const sendings = await db.query<{ recipients: object }>(sql`
    select sending -> 'recipients' as recipients from dispatch order by dispatch_id`)
  assert.deepEqual(
    sendings.map(({ recipients }) => recipients),
    [[id('other'), id('kept'), id('kept'), id('kept'), alias('shop', 'A'), alias('crm', 'B')], [alias('crm', 'C')]],
  )
  assert.deepEqual(await rowsOf(db, 'decision'), [])
  await act(db, { type: 'delete', from: kept }, { type: 'delete', from: neighbour })
  const left = await db.query<{ recipients: object }>(sql`
    select sending -> 'recipients' as recipients from dispatch order by dispatch_id`)
  assert.deepEqual(
    left.map(({ recipients }) => recipients),
    [[id('other')], []],
  )
})

onAllDatabases('an address that only a merged or deleted person had is deleted from orders', async (open) => {
  const db = await open()
  await add(db, gone, { profile: { external_id: 'gone', email: 'gone@example.com' } })
  await add(db, kept, { profile: { external_id: 'kept', email: 'kept@example.com' } })
  await add(db, third, { profile: { external_id: 'third', email: 'shared@example.com' } })
  await add(db, neighbour, { profile: { external_id: 'neighbour', email: 'shared@example.com' } })
  const to = (name: string) => ({ email: `${name}@example.com`, prioritization: ['identified'] })
  const properties = { code: 1 }
  const recipients = [{ ...to('gone'), properties }, to('shared'), { service_id: 'ab', profile_id: third.profile_id }]
  await insert(db, 'dispatch', [
    {
      ...{ dispatch_id: dispatchId(1), workspace_id, class: 'marketing', state: 'active' },
      ...{ created_at: at(1), updated_at: at(1), unsettled: false, sending: { recipients, broadcast: false } },
    },
  ])
  const left = async () =>
    (await db.query<{ recipients: object[] }>(sql`select sending -> 'recipients' as recipients from dispatch`))[0]!
      .recipients
  await act(db, { type: 'merge', from: gone, into: kept }, { type: 'merge', from: third, into: neighbour })
  const renamed = { external_user_id: 'kept', properties }
  assert.deepEqual(await left(), [renamed, to('shared'), recipients[2]])
  await act(db, { type: 'delete', from: neighbour })
  assert.deepEqual(await left(), [renamed])
})
