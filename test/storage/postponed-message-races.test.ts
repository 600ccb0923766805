import assert from 'node:assert/strict'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { type DeliveryResult, writeResults } from '../../src/messaging/delivery/write-results.ts'
import { updateFlowState } from '../../src/messaging/flows/flow-store.ts'
import { followFlowStates } from '../../src/messaging/journeys/follow-flow-states.ts'
import { claimMessages } from '../../src/messaging/messages/claim-store.ts'
import { postpone } from '../../src/messaging/messages/outcome.ts'
import { addressHasher } from '../../src/people/identity/person.ts'
import { completeSettings } from '../../src/workspace/settings/settings.ts'
import { onBothDatabases } from '../support/databases.ts'
import { mail } from '../support/messages.ts'
import { TestInstance } from '../support/signals.ts'

const send = { id: 'send', type: 'message', message: mail() }
const lease = '11111111-0000-4000-8000-000000000001'
const share = { workspace_id: 1, channel: 'email', class: 'marketing', count: 1 } as const
const hourMs = 3_600_000
const settings = completeSettings({})

/** Claims the message and postpones it by an hour, as in quiet hours. `between` runs after the message is locked, `after` before COMMIT. */
function claimInQuietHours(db: Db, instance: TestInstance, between: () => Promise<void>, after = async () => {}) {
  const nowMs = instance.clock.now()
  const services = {
    ...instance.parts(),
    hashAddress: addressHasher(Buffer.alloc(32)),
    settingsOf: () => settings,
  }
  return db.transaction(async (tx: Tx) => {
    const [message] = await claimMessages(tx, [share], { lease, nowMs, untilMs: nowMs + hourMs })
    await between()
    const results: DeliveryResult[] = [{ message: message!, outcome: postpone(message!, nowMs + hourMs, 0) }]
    await writeResults(tx, results, services)
    await after()
  })
}

async function openWithMessage(db: Db): Promise<TestInstance> {
  const instance = new TestInstance(db)
  await instance.begin()
  await instance.canvas('c', {
    entry: { by: ['event'], event: { name: 'came' }, again: 'always' },
    first: 'send',
    steps: [send],
  })
  await instance.track({
    attributes: [{ external_id: 'ann', email: 'ann@example.com' }],
    events: [{ external_id: 'ann', name: 'came', time: '2026-01-02T03:04:05Z' }],
  })
  await instance.act()
  return instance
}

async function stop(db: Db, instance: TestInstance): Promise<void> {
  await updateFlowState(db, 1, 'archived', false, instance.clock.now())
  await followFlowStates(db, instance.parts())
}

const readMessage = (db: Db) =>
  db.query<{ state: string; due: boolean; entry: string }>(sql`
    select m.state, m.due_at <= ${new Date()} as due, e.state as entry
    from message m join entry e on e.entry_id = m.cause and e.bucket = m.bucket`)

onBothDatabases('a message that is postponed while its entry ends is due at once', async (open) => {
  const [db, other = undefined] = await open.processes(2)
  if (!other) return
  const instance = await openWithMessage(db!)
  await claimInQuietHours(db!, instance, () => stop(other, instance))
  assert.deepEqual(await readMessage(db!), [{ state: 'queued', due: true, entry: 'ended' }])
})

onBothDatabases('an entry that ends while its message is postponed ends the message', async (open) => {
  const [db, other = undefined] = await open.processes(2)
  if (!other) return
  const instance = await openWithMessage(db!)
  let stopping: Promise<void> | undefined
  const untilWaits = async () => {
    let isDone = false
    stopping = stop(other, instance).finally(() => {
      isDone = true
    })
    const waiting = sql`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like '%entry%'`
    while (!isDone && (await db!.query(waiting)).length === 0);
  }
  await claimInQuietHours(db!, instance, async () => {}, untilWaits)
  await stopping
  const [message] = await readMessage(db!)
  assert.deepEqual([message!.state, message!.entry], ['cancelled', 'ended'])
})

onBothDatabases('a postponed message whose entry waits for it stays postponed', async (open) => {
  const db = await open()
  const instance = await openWithMessage(db)
  await claimInQuietHours(db, instance, async () => {})
  assert.deepEqual(await readMessage(db), [{ state: 'queued', due: false, entry: 'sending' }])
})
