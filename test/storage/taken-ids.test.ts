import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '../../src/base/db/sql.ts'
import { onBothDatabases } from '../support/databases.ts'
import { TestInstance } from '../support/signals.ts'

const time = '2026-01-02T03:04:05Z'

onBothDatabases('a flush whose new profile ids are taken is applied once, with other ids', async (open) => {
  const instance = new TestInstance(await open())
  await instance.begin()
  const makeId = instance.newId
  const made = new Map<number, string>()
  let clashes = 0
  instance.newId = (bucket) => {
    const taken = made.get(bucket)
    if (taken === undefined) return made.set(bucket, makeId(bucket)).get(bucket)!
    clashes++
    made.delete(bucket)
    return taken
  }
  const work = {
    attributes: [
      { external_id: 'ann', plan: 'free', first_name: 'Ann' },
      { external_id: 'bob', plan: 'gold' },
    ],
    events: [{ external_id: 'ann', name: 'seen', time }],
  }
  await instance.track(work)
  assert.equal(clashes, 0)
  // Uses the same buckets again. The identifiers are deleted, but the profile ids are still taken.
  await instance.db.query(sql`delete from identifier`)
  instance.clearIdentities()
  await instance.track(work)
  assert.equal(clashes, 2)
  const people = await instance.db.query(sql`select external_id, custom from profile order by external_id, profile_id`)
  const [ann, bob] = [
    { external_id: 'ann', custom: { plan: 'free' } },
    { external_id: 'bob', custom: { plan: 'gold' } },
  ]
  assert.deepEqual(people, [ann, ann, bob, bob])
  assert.deepEqual(await instance.db.query(sql`select count(*)::int as count from event`), [{ count: 2 }])
})

onBothDatabases(
  'a person whose identifier is inserted while a flush reserves it is not created twice',
  async (open) => {
    const [db, other] = await open.processes(2)
    // The embedded database runs one transaction at a time.
    if (!other) return
    const instance = new TestInstance(db!)
    await instance.begin()
    const work = { events: [{ external_id: 'ann', name: 'seen', time }] }
    await instance.track(work)
    const [ann] = await other.query<Record<string, unknown>>(sql`delete from identifier returning *`)
    const { bucket, workspace_id, kind, value, owner_bucket, owner_id } = ann!
    instance.clearIdentities()
    const tracking = await other.transaction(async (tx) => {
      await tx.query(sql`
      insert into identifier (bucket, workspace_id, kind, value, owner_bucket, owner_id)
      values (${bucket}, ${workspace_id}, ${kind}, ${value}, ${owner_bucket}, ${owner_id})`)
      const tracked = instance.track(work)
      const waiting = sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await other.query(waiting)).length === 0) await pause(5)
      return { tracked }
    })
    await tracking.tracked
    assert.deepEqual(await other.query(sql`select count(*)::int as count from profile`), [{ count: 1 }])
    assert.deepEqual(
      await other.query(sql`select owner_id, count(*)::int as count from identifier group by owner_id`),
      [{ owner_id, count: 1 }],
    )
    assert.deepEqual(await other.query(sql`select profile_id, count(*)::int as count from event group by profile_id`), [
      { profile_id: owner_id, count: 2 },
    ])
  },
)
