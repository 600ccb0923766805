import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { sql } from '../../src/base/db/sql.ts'
import { listEngaged } from '../../src/messaging/expansion/engagement-times-store.ts'
import { loadTimings } from '../../src/messaging/expansion/load-timings.ts'
import { Graphs } from '../../src/messaging/flows/graphs.ts'
import { enterByOrder } from '../../src/messaging/journeys/enter-people.ts'
import type { ClaimedSlot } from '../../src/messaging/orders/slot-store.ts'
import { type Person, person } from '../../src/people/identity/person.ts'
import { retryWhenRemoved } from '../../src/people/identity/retry-removed.ts'
import { onBothDatabases } from '../support/databases.ts'
import { TestInstance } from '../support/signals.ts'
import { add, insert, personOf, workspace_id } from './crowd.ts'

const [owl, lark, machine] = [1, 2, 3].map(personOf) as [Person, Person, Person]
const nowMs = Date.parse('2027-03-01T12:00:00Z')
const local = '2027-03-03T10:15:00.000'
const dayMs = 86_400_000

const claimed = {
  ...{ dispatch_id: '', zone: '', workspace_id, lease: '', attempts: 1, dueMs: nowMs, reason: null, after: undefined },
  ...{ class: 'marketing', createdMs: nowMs, resumedMs: undefined },
  sending: { broadcast: true, recipient_subscription_state: 'subscribed', override_frequency_capping: false },
  schedule: { time: local, in_local_time: false, at_optimal_time: true, local, at_ms: Date.parse(`${local}Z`) },
} satisfies ClaimedSlot

/** Returns clicks at an hour of the days before. */
const clicks = (hour: number, kind = 'clicked') =>
  [1, 2, 3, 4].map((day) => {
    const at = new Date(nowMs - day * dayMs)
    at.setUTCHours(hour, 30)
    return { message_id: day, kind, link: 0, first_at: at.toISOString(), last_at: at.toISOString(), count: 1 }
  })

onBothDatabases('a person gets mail at the hour of their opens and clicks, without those of machines', async (open) => {
  const db = await open()
  await insert(db, 'workspace', [
    { workspace_id, id: 'w', name: 'w', settings: { time_zone: 'UTC' }, created_at: '2026-01-01' },
  ])
  await add(db, owl, { profile: { external_id: 'owl', time_zone: 'Asia/Tokyo' }, engagement: clicks(13) })
  await add(db, lark, { profile: { external_id: 'lark' }, engagement: clicks(6) })
  await add(db, machine, { profile: { external_id: 'machine' }, engagement: clicks(3, 'machine_clicked') })
  const services = { clock: { now: () => nowMs }, graphs: new Graphs() }
  const people = [owl, lark, machine].map((person) => ({ person }))
  const timings = await loadTimings(db, claimed, people, services)
  const hours = people.map(({ person }) => {
    const { dueMs, hour, source } = timings.get(person.profile_id)!
    return [hour, source, new Date(dueMs).toISOString().slice(0, 'yyyy-MM-ddTHH'.length)]
  })
  assert.deepEqual(hours, [
    [22, 'own', '2027-03-03T13'],
    [6, 'own', '2027-03-03T06'],
    [10, 'schedule', '2027-03-03T10'],
  ])
  assert.equal((await listEngaged(db, [owl], nowMs - 2 * dayMs)).get(owl.profile_id)?.engagements.length, 2)
  const refused = { reason: 'not_in_segment' } as const
  assert.equal((await loadTimings(db, claimed, [{ person: owl, refused }], services)).size, 0)
})

onBothDatabases('of several orders for a later hour one makes a person enter who may enter once', async (open) => {
  const databases = await open.processes(2)
  const instance = new TestInstance(databases[0]!)
  await instance.begin()
  const wait = { id: 'wait', type: 'delay', for: 'P1D' }
  await instance.canvas('c', { entry: { by: ['api'], again: 'never' }, first: 'wait', steps: [wait] })
  await instance.track({ attributes: [{ external_id: 'ann', plan: 'free' }] })
  const [row] = await instance.db.query<{ bucket: number; profile_id: string }>(
    sql`select bucket, profile_id from profile`,
  )
  const ann = person(row!.bucket, row!.profile_id)
  const enteredMs = instance.clock.now()
  const order = { flow_id: 1, properties: undefined }
  const enter = (i: number) => {
    const given = { ...order, dispatch_id: randomUUID(), nowMs: enteredMs }
    const people = [{ person: ann, dueMs: enteredMs + 3_600_000 }]
    // The one that inserts the state of the person second runs again.
    return retryWhenRemoved(() =>
      databases[i % databases.length]!.transaction((tx) => enterByOrder(tx, given, people, instance.parts())),
    )
  }
  await Promise.all([0, 1, 2, 3].map(enter))
  const states = await instance.db.query<{ state: string }>(sql`select state from entry order by state`)
  assert.deepEqual(
    states.map(({ state }) => state),
    ['arriving', 'ended', 'ended', 'ended'],
  )
  const [had] = await instance.db.query(sql`
    select r.entries, r.last_entered_at, f.last_entry_at from received r join flow f using (flow_id)`)
  assert.deepEqual(had, { entries: 0, last_entered_at: null, last_entry_at: null })
})
