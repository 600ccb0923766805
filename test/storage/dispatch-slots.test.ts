import assert from 'node:assert/strict'
import { virtualClock } from '../../src/base/clock.ts'
import { sql } from '../../src/base/db/sql.ts'
import { lockOrderStates } from '../../src/messaging/delivery/eligibility-store.ts'
import { expansionAttemptsMax, notExpanded, openExpander } from '../../src/messaging/expansion/expand.ts'
import { followOrderStates } from '../../src/messaging/expansion/follow-order-state.ts'
import { claimMessages } from '../../src/messaging/messages/claim-store.ts'
import { type ClaimFirst, claimSlot, insertSlots } from '../../src/messaging/orders/slot-store.ts'
import { onBothDatabases } from '../support/databases.ts'
import { expandServices } from '../support/expansion.ts'
import { add, at, dispatchId, insert, personOf, workspace_id } from './crowd.ts'

const nowMs = Date.parse(at(30))
const lease = '11111111-0000-4000-8000-000000000001'

onBothDatabases('slots are claimed so that large and small orders do not delay each other', async (open) => {
  const db = await open()
  // Due in this order. The even ones have begun their expansion.
  const classes = ['marketing', 'marketing', 'transactional', 'transactional'] as const
  for (const [i, kind] of classes.entries()) {
    const order = { dispatch_id: dispatchId(i), workspace_id, class: kind }
    const times = { created_at: at(i), updated_at: at(i), unsettled: false }
    await insert(db, 'dispatch', [{ ...order, ...times, state: 'active', sending: { broadcast: true } }])
    await insertSlots(db, order, 'waiting', [{ zone: '', dueMs: Date.parse(at(i)) }])
    if (i % 2 === 0) {
      await db.query(sql`update dispatch_slot set after_id = 1 where dispatch_id = ${order.dispatch_id}::uuid`)
    }
  }
  const claims = async (turn: ClaimFirst) => {
    const claimed: string[] = []
    for (;;) {
      const slot = await claimSlot(db, lease, turn, { nowMs, elapsedMs: nowMs, untilMs: nowMs + 1_000 })
      if (!slot) break
      claimed.push(slot.dispatch_id)
    }
    await db.query(sql`update dispatch_slot set state = 'waiting', lease = null, leased_until = null`)
    return claimed
  }
  assert.deepEqual(await claims('new'), [3, 2, 1, 0].map(dispatchId))
  assert.deepEqual(await claims('begun'), [2, 3, 0, 1].map(dispatchId))
})

onBothDatabases('a claim of messages and a pause of their dispatch do not wait for each other', async (open) => {
  const [db, other] = await open.processes(2)
  if (!db || !other) return
  const clock = virtualClock(nowMs)
  const order = { dispatch_id: dispatchId(1), workspace_id, class: 'marketing' } as const
  const times = { created_at: at(1), updated_at: at(1), unsettled: true }
  await insert(db, 'dispatch', [{ ...order, ...times, state: 'paused', sending: { broadcast: true } }])
  const [first, second] = ['1', '2'].map((id) => ({ bucket: 1, message_id: id, profile_id: id, class: 'marketing' }))
  const common = {
    workspace_id,
    cause: order.dispatch_id,
    step: '',
    visit: 0,
    channel: 'email',
    attempts: 0,
    crashes: 0,
    rates_granted: 0,
  }
  const waiting = { ...common, state: 'queued', planned_at: at(1), maybe_sent: false }
  await insert(db, 'message', [
    { ...waiting, ...first, due_at: at(1) },
    { ...waiting, ...second, due_at: at(2) },
  ])
  const states = async () =>
    (await db.query<{ state: string }>(sql`select state from message order by message_id`)).map(({ state }) => state)
  const isUnsettled = async () => (await db.query(sql`select 1 from dispatch where unsettled`)).length === 1
  await db.transaction(async (tx) => {
    const shares = [{ workspace_id, channel: 'email', class: 'marketing', count: 1 } as const]
    assert.equal((await claimMessages(tx, shares, { lease, nowMs, untilMs: nowMs })).length, 1)
    // Both run while the other has its locks.
    assert.ok(await followOrderStates(other, clock))
    assert.equal(await followOrderStates(other, clock), false)
    assert.equal((await lockOrderStates(tx, [order.dispatch_id])).size, 1)
  })
  assert.deepEqual([await states(), await isUnsettled()], [['leased', 'held'], true])
  // The claim may still release its message, so the dispatch is checked again.
  assert.equal(await followOrderStates(other, clock), false)
  assert.ok(await isUnsettled())
  await db.query(sql`update message set state = 'queued' where state = 'leased'`)
  assert.ok(await followOrderStates(other, clock))
  assert.equal(await followOrderStates(other, clock), false)
  assert.deepEqual([await states(), await isUnsettled()], [['held', 'held'], false])
})

onBothDatabases('each recipient of an abandoned order ends with a reason', async (open) => {
  const db = await open()
  await add(db, personOf(1), { profile: { external_id: 'ann' } })
  await add(db, personOf(2), { profile: { external_id: 'bea' } })
  const named = [{ external_user_id: 'ann' }, { external_user_id: 'bea' }, { external_user_id: 'unknown' }]
  const clock = virtualClock(nowMs)
  // An accepted order that can no longer be read, and one whose expansion has always failed.
  const orders = [
    { sending: { recipients: named, broadcast: false, audience: { none: 'such' } }, attempts: 0, failure: /audience/ },
    {
      sending: { recipients: named, broadcast: false },
      attempts: expansionAttemptsMax,
      failure: new RegExp(notExpanded),
    },
  ]
  for (const [n, { sending, attempts, failure }] of orders.entries()) {
    const order = { dispatch_id: dispatchId(10 + n), workspace_id, class: 'marketing' } as const
    const times = { created_at: at(29), updated_at: at(29), unsettled: false }
    await insert(db, 'dispatch', [{ ...order, ...times, state: 'active', sending }])
    await insertSlots(db, order, 'waiting', [{ zone: '', dueMs: Date.parse(at(29)) }])
    await db.query(sql`update dispatch_slot set attempts = ${attempts} where dispatch_id = ${order.dispatch_id}::uuid`)
    const expander = openExpander(expandServices(db, clock))
    await expander.nextTurn()
    await expander.close()
    const [slot] = await db.query<{ state: string; failure: string; expanded: string; unknown: number }>(sql`
      select state, failure, expanded, unknown from dispatch_slot where dispatch_id = ${order.dispatch_id}::uuid`)
    assert.deepEqual([slot!.state, slot!.expanded, slot!.unknown], ['done', '2', 1])
    assert.match(slot!.failure, failure)
    const ends = await db.query(sql`
      select m.state, d.reason, d.rule, d.asked from decision d left join message m on m.bucket = d.bucket and m.message_id = d.message_id
      where d.cause = ${order.dispatch_id}::uuid order by d.reason desc, d.profile_id`)
    const end = { state: 'failed', reason: 'template_error', rule: slot!.failure, asked: null }
    assert.deepEqual(ends, [end, end, { state: null, reason: 'no_such_user', rule: null, asked: named[2] }])
  }
})
