import assert from 'node:assert/strict'
import type { Db, Tx } from '../../src/base/db/db.ts'
import { type Sql, sql } from '../../src/base/db/sql.ts'
import { Wakeups } from '../../src/base/work/wakeups.ts'
import { lockDueEntries } from '../../src/messaging/entries/entry-store.ts'
import { openPlanning } from '../../src/messaging/expansion/plan-recurring.ts'
import { SkippedFlows } from '../../src/messaging/expansion/skipped-flows.ts'
import { updateFlowState, updateFlows } from '../../src/messaging/flows/flow-store.ts'
import { updateWatched } from '../../src/messaging/flows/watched-names.ts'
import { actOnPage } from '../../src/messaging/journeys/act-on-signals.ts'
import { openDueEntries } from '../../src/messaging/journeys/due-entries.ts'
import { EntryTriggers } from '../../src/messaging/journeys/entry-triggers.ts'
import { followFlowStates } from '../../src/messaging/journeys/follow-flow-states.ts'
import { onBothDatabases, quiet } from '../support/databases.ts'
import { mail } from '../support/messages.ts'
import { TestInstance } from '../support/signals.ts'

const wait = { id: 'wait', type: 'delay', for: 'P1D' }
const onCame = { entry: { by: ['event'], event: { name: 'came' }, again: 'always' }, first: 'wait', steps: [wait] }

/** Returns a transaction that runs `what`, in another transaction, after the statement that matches `after`. */
function interrupted(tx: Tx, after: RegExp, what: () => Promise<void>): Tx {
  let done = false
  return {
    async query<Row>(statement: Sql) {
      const rows = await tx.query<Row>(statement)
      if (!done && after.test(statement.text)) {
        done = true
        await what()
      }
      return rows
    },
  }
}

const came = (external_id: string, time = '2026-01-02T03:04:05Z') => ({ events: [{ external_id, name: 'came', time }] })

onBothDatabases('a person enters a flow that was created while a worker looked for flows', async (open) => {
  const [db, other = undefined] = await open.processes(2)
  if (!other) return
  const [worker, intake] = [new TestInstance(db!), new TestInstance(other)]
  await worker.begin()
  // A signal of the same lane, because a page reads one lane.
  await worker.watch(['event', 'seen'])
  await worker.track({ events: [{ external_id: 'ann', name: 'seen', time: '2026-01-02T03:04:05Z' }] })
  const triggers = new EntryTriggers()
  await triggers.catchUp(db!, worker.parts())
  await db!.transaction((tx) => {
    const spied = interrupted(tx, /from (version where name = 'watched'|signal_lane)/, async () => {
      await intake.canvas('c', onCame)
      await intake.track(came('ann'))
    })
    return actOnPage(spied, { from: 0, limit: 100, onRead() {} }, triggers, worker.parts())
  })
  await worker.act()
  assert.equal(await worker.count('entry'), 1)
})

onBothDatabases('an entry that was locked when its flow was resumed is resumed too', async (open) => {
  const [db, other = undefined] = await open.processes(2)
  if (!other) return
  const instance = new TestInstance(db!)
  await instance.begin()
  await instance.canvas('c', onCame)
  await instance.track(came('ann'))
  await instance.act()
  const follow = async () => {
    for (let i = 0; i < 5; i++) await followFlowStates(db!, instance.parts())
  }
  const change = (to: 'paused' | 'active') => updateFlowState(db!, 1, to, false, instance.clock.now())
  await change('paused')
  await follow()
  await change('active')
  await other.transaction(async (tx) => {
    await tx.query(sql`select 1 from entry for update`)
    await follow()
  })
  await follow()
  const [entry] = await db!.query<{ held: boolean }>(sql`select held from entry`)
  assert.equal(entry!.held, false)
})

onBothDatabases('locked transactional entries do not delay others', async (open) => {
  const [db, other = undefined] = await open.processes(2)
  if (!other) return
  const instance = new TestInstance(db!)
  await instance.begin()
  await instance.canvas('c', onCame)
  await instance.track(came('ann'))
  await instance.track(came('bob'))
  await instance.act()
  await db!.query(sql`update entry set due_at = ${new Date(0)}`)
  await db!.query(sql`
    update entry set class = 'transactional' where entry_id in (select entry_id from entry limit 1)`)
  const move = openDueEntries({ ...instance.parts(), db: db!, log: quiet, onMoved() {} })
  await other.transaction(async (tx) => {
    await tx.query(sql`select 1 from entry where class = 'transactional' for update`)
    const turns = [await move(), await move(), await move()]
    const [{ open: left } = { open: -1 }] = await db!.query<{ open: number }>(
      sql`select count(*)::int as open from entry where state <> 'ended'`,
    )
    assert.deepEqual([left, turns.at(-1)], [1, false], JSON.stringify(turns))
  })
})

onBothDatabases('an entry that becomes due earlier while many others are moved is moved too', async (open) => {
  const db: Db = await open()
  const instance = new TestInstance(db)
  await instance.begin()
  await instance.canvas('c', onCame)
  const enter = (count: number, firstMs: number) =>
    db.query(sql`
      insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, due_at, entered_at)
      select n, n, gen_random_uuid(), 1, 1, 1, 'marketing', 'waiting', 'wait', ${new Date(firstMs)}::timestamptz + n * interval '1 ms',
        ${new Date(0)} from generate_series(1, ${count}::int4) n`)
  const move = openDueEntries({ ...instance.parts(), db, log: quiet, onMoved() {} })
  await enter(1_100, 1_000_000)
  assert.equal(await move(), true)
  await enter(1, 0)
  while (await move());
  assert.equal((await db.query(sql`select 1 from entry where state <> 'ended'`)).length, 0)
})

onBothDatabases('at most the given number of entries that wait for signals is skipped', async (open) => {
  const db: Db = await open()
  const instance = new TestInstance(db)
  await instance.begin()
  await instance.canvas('c', onCame)
  await db.query(sql`
    insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, due_at, entered_at)
    select n, n, gen_random_uuid(), 1, 1, 1, 'marketing', 'waiting', 'wait', ${new Date(1)}::timestamptz + n * interval '1 ms',
      ${new Date(0)} from generate_series(1, 6) n`)
  await db.query(sql`
    insert into signal (bucket, profile_id, signal_id, workspace_id, lane, kind, name, time, at)
    select n, n, n, 1, 0, 'event', 'x', ${new Date(0)}, ${new Date(0)} from generate_series(1, 3) n`)
  const locked = async (ahead?: number) => {
    const lanes = [{ workspace_id: 1, class: 'marketing' as const, count: 2 }]
    const entries = await db.transaction((tx) =>
      lockDueEntries(tx, lanes, { fromMs: 0, nowMs: instance.clock.now() }, ahead),
    )
    return entries.map(({ bucket }) => bucket)
  }
  for (const [ahead, found] of [
    [3, []],
    [4, [4]],
    [5, [4, 5]],
    [6, [4, 5]],
    [undefined, [4, 5]],
  ] as const) {
    assert.deepEqual(await locked(ahead), found)
  }
})

onBothDatabases('a schedule that returns to an earlier time creates its order again', async (open) => {
  const db: Db = await open()
  const instance = new TestInstance(db)
  await instance.begin()
  const at = (time: string) => ({
    entry: { by: ['schedule'], schedule: { at: time, zone: 'UTC' } },
    first: 'wait',
    steps: [wait],
  })
  await instance.canvas('c', at('09:00'))
  const nowMs = Date.UTC(2027, 2, 1, 8, 55)
  const clock = { ...instance.clock, now: () => nowMs }
  const { graphs } = instance.parts()
  const plan = async (version: number, time: string) => {
    if (version > 1) {
      await db.query(
        sql`insert into flow_version values (1, ${version}, ${JSON.stringify(at(time))}::jsonb, ${new Date(0)})`,
      )
    }
    await db.query(sql`update flow set version = ${version}, plan_at = ${new Date(nowMs)}`)
    const turn = openPlanning({ db, clock, graphs, log: quiet, wakeups: new Wakeups() }, new SkippedFlows(clock))
    while (await turn());
  }
  await plan(1, '09:00')
  await plan(2, '10:00')
  await plan(3, '09:00')
  const orders = await db.query<{ state: string; slot: string }>(
    sql`select d.state, s.state as slot from dispatch d join dispatch_slot s using (dispatch_id) order by 1`,
  )
  // The order of 10:00 does not exist yet.
  assert.deepEqual(orders, [{ state: 'active', slot: 'waiting' }])
})

onBothDatabases('a schedule that cannot be read is retried after an hour, and does not delay others', async (open) => {
  const db: Db = await open()
  const instance = new TestInstance(db)
  await instance.begin()
  const daily = { entry: { by: ['schedule'], schedule: { at: '09:00', zone: 'UTC' } }, first: 'wait', steps: [wait] }
  await instance.canvas('bad', daily)
  await instance.canvas('good', daily)
  const nowMs = Date.UTC(2027, 2, 1, 8, 55)
  await db.query(sql`update flow set plan_at = ${new Date(nowMs)}`)
  await db.query(sql`update flow_version set definition = '{"steps": 7}' where flow_id = 1`)
  let elapsedMs = 0
  const clock = { ...instance.clock, now: () => nowMs, elapsed: () => elapsedMs }
  const turn = openPlanning(
    { ...instance.parts(), db, clock, log: quiet, wakeups: new Wakeups() },
    new SkippedFlows(clock),
  )
  const planned = async () => {
    while (await turn());
    const rows = await db.query<{ flow_id: number }>(sql`select flow_id from dispatch order by flow_id`)
    return rows.map(({ flow_id }) => flow_id)
  }
  assert.deepEqual(await planned(), [2])
  await db.query(sql`update flow_version set definition = ${JSON.stringify(daily)}::jsonb where flow_id = 1`)
  elapsedMs = 3_600_000 - 1
  assert.deepEqual(await planned(), [2])
  elapsedMs++
  assert.deepEqual(await planned(), [1, 2], 'the time of the schedule was kept')
})

onBothDatabases('a person who enters a version while it is replaced still gets its signals', async (open) => {
  const [db, other = undefined] = await open.processes(2)
  if (!other) return
  const instance = new TestInstance(db!)
  await instance.begin()
  const paths = [{ name: 'Paid', event: 'paid' }]
  const listening = { ...onCame, first: 'act', steps: [{ id: 'act', type: 'action_paths', within: 'P1D', paths }] }
  await instance.canvas('c', listening)
  await instance.track(came('ann'))
  // A transaction that records an entry locks the flow until it ends.
  await db!.query(sql`update flow set last_entry_at = ${new Date(instance.clock.now() + 60_000)}`)
  await db!.transaction(async (tx) => {
    await actOnPage(tx, { from: 0, limit: 100, onRead() {} }, new EntryTriggers(), instance.parts())
    await other.transaction(async (publishing) => {
      const written = {
        id: 'c',
        name: 'c',
        description: '',
        tags: [],
        state: 'active',
        class: 'marketing',
        version: 2,
      } as const
      await updateFlows(
        publishing,
        1,
        'canvas',
        [{ ...written, definition: onCame, planned: false }],
        instance.clock.now(),
      )
      await updateWatched(publishing, 1, instance.clock.now())
    })
  })
  await instance.track({ events: [{ external_id: 'ann', name: 'paid', time: new Date().toISOString() }] })
  await instance.act()
  const [entry] = await db!.query<{ state: string }>(sql`select state from entry`)
  assert.equal(entry!.state, 'ended')
})

onBothDatabases(
  'a flush of attributes does not wait for the processing of signals of the same people',
  async (open) => {
    const [db, other = undefined] = await open.processes(2)
    if (!other) return
    const instance = new TestInstance(db!)
    await instance.begin()
    await instance.watch(['attribute', 'plan'])
    await instance.track({ attributes: [{ external_id: 'ann', plan: 'free' }] })
    await other.transaction(async (tx) => {
      await tx.query(sql`select 1 from profile for key share`)
      const late = new Promise<string>((done) => setTimeout(() => done('late'), 2_000).unref())
      const done = instance.track({ attributes: [{ external_id: 'ann', plan: 'gold' }] }).then(() => 'done')
      assert.equal(await Promise.race([done, late]), 'done')
    })
  },
)

onBothDatabases('a held message of an ended entry is released when the flow is stopped', async (open) => {
  const db = await open()
  const instance = new TestInstance(db)
  await instance.begin()
  await instance.canvas('c', { ...onCame, first: 'mail', steps: [{ id: 'mail', type: 'message', message: mail() }] })
  await instance.track(came('ann'))
  await instance.act()
  await db.query(sql`update message set state = 'held'`)
  await db.query(sql`update entry set state = 'ended', ended = 'exited'`)
  await updateFlowState(db, 1, 'archived', false, instance.clock.now())
  for (let i = 0; i < 3; i++) await followFlowStates(db, instance.parts())
  const [message] = await db.query<{ state: string }>(sql`select state from message`)
  assert.equal(message!.state, 'queued', 'the claim of a released message sees that its entry has ended')
  assert.deepEqual(await db.query(sql`select unsettled from flow`), [{ unsettled: false }])
})
