import assert from 'node:assert/strict'
import test from 'node:test'
import { type Call, systemActor } from '../../src/base/call.ts'
import { type VirtualClock, virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { newUuid } from '../../src/base/ids.ts'
import type { DueWork } from '../../src/base/work/due-work.ts'
import type { Loop } from '../../src/base/work/loop.ts'
import { deliveryWork } from '../../src/messaging/delivery/due-work.ts'
import { expansionWork } from '../../src/messaging/expansion/due-work.ts'
import { SkippedFlows } from '../../src/messaging/expansion/skipped-flows.ts'
import { insertSlots } from '../../src/messaging/orders/slot-store.ts'
import { openClockMover } from '../../src/workspace/clock/move-clock.ts'
import { runDueWork } from '../../src/workspace/clock/run-due-work.ts'
import { insertInstallation } from '../../src/workspace/settings/installation-store.ts'
import { lendDatabase } from '../servers/spare.ts'
import { workspace_id } from '../storage/crowd.ts'
import { onBothDatabases } from '../support/databases.ts'

/** The machine time that a move may take. Only the loops of these tests let machine time pass. */
const moveMsMax = 600

function iso(ms: number): string {
  return new Date(ms).toISOString()
}

async function openClock(db: Db): Promise<{ clock: VirtualClock; letPass(ms: number): void }> {
  // The weeks of today have partitions.
  const nowMs = Math.ceil(Date.now() / 60_000) * 60_000
  await insertInstallation(db, Buffer.alloc(32), new Date(nowMs))
  let elapsedMs = 0
  const letPass = (ms: number) => {
    elapsedMs += ms
  }
  return { clock: { ...virtualClock(nowMs), elapsed: () => elapsedMs }, letPass }
}

test('a move of the clock that takes too long stops at the instant that it has reached', async (t) => {
  const { db } = await lendDatabase('pglite')
  t.after(() => db.close())
  const { clock, letPass } = await openClock(db)
  const startMs = clock.now()
  const due = (minutes: number) => startMs + minutes * 60_000
  const addSlots = (minutes: readonly number[]) =>
    insertSlots(
      db,
      { dispatch_id: newUuid(), workspace_id, class: 'marketing' },
      'waiting',
      minutes.map((each) => ({ zone: String(each), dueMs: due(each) })),
    )
  await addSlots([1, 2, 3])
  const turns: number[] = []
  // It completes the first two, and does not end the third.
  const expander = {
    nextTurn: async () => {
      turns.push(clock.now())
      letPass(5)
      await db.query(sql`
        update dispatch_slot set state = 'done' where due_at <= ${new Date(clock.now()).toISOString()}::timestamptz and zone <> '3'`)
    },
  } as Loop
  const instants: number[] = []
  const slotWork = expansionWork({} as Loop, expander, new SkippedFlows(clock))
  const parts = { db, works: [slotWork], onLeave: async (untilMs: number) => void instants.push(untilMs) }
  assert.deepEqual(await runDueWork(parts, clock, due(10), moveMsMax), { reachedMs: due(3), isDone: false })
  assert.deepEqual([...new Set(turns)], [due(1), due(2), due(3)])
  assert.deepEqual(instants, [due(1), due(2), due(3)])
  await db.query(sql`update dispatch_slot set state = 'done'`)
  assert.deepEqual(await runDueWork(parts, clock, due(10), moveMsMax), { reachedMs: due(10), isDone: true })
  assert.equal(clock.now(), due(10))
  // A mail server that does not answer does not make the move longer either.
  await addSlots([11])
  const stuck = {
    nextTurn: () => {
      letPass(moveMsMax)
      return new Promise<void>(() => {})
    },
  } as Loop
  const waiting = { ...parts, works: [expansionWork({} as Loop, stuck, new SkippedFlows(clock)), deliveryWork(stuck)] }
  assert.deepEqual(await runDueWork(waiting, clock, due(20), moveMsMax), { reachedMs: due(11), isDone: false })
  // The requested instant is reached, and the work due there is not done.
  await db.query(sql`update dispatch_slot set state = 'done'`)
  await addSlots([12])
  assert.deepEqual(await runDueWork(waiting, clock, due(12), moveMsMax), { reachedMs: due(12), isDone: false })
  const target = iso(due(12))
  const mover = openClockMover((_call, untilMs) => runDueWork(waiting, clock, untilMs, moveMsMax), [])
  const call = { db, clock, actor: systemActor } as unknown as Call
  const moving = mover.moveClock(call, { body: { now: target } })
  await Promise.resolve()
  assert.deepEqual(await mover.readClock(call, {}), { now: target, clock: 'virtual', moving_to: target })
  await assert.rejects(moving, { kind: 'conflict', message: unfinished(12, 12) })
  // A move by a duration continues by its instant.
  await addSlots([13])
  await db.query(sql`update dispatch_slot set state = 'done' where zone = '12'`)
  await assert.rejects(mover.moveClock(call, { body: { advance: 'PT5M' } }), { message: unfinished(13, 17) })
  await db.query(sql`update dispatch_slot set state = 'done'`)
  const reached = { now: iso(due(17)), clock: 'virtual' }
  assert.deepEqual(await mover.moveClock(call, { body: { now: reached.now } }), reached)
  assert.deepEqual(await mover.readClock(call, {}), reached)

  function unfinished(reached: number, target: number): string {
    return (
      `The clock is at ${iso(due(reached))}, and some work that is due by then is not done: one call works for at most ` +
      `60 seconds. Send {"now": "${iso(due(target))}"} to continue`
    )
  }
})

onBothDatabases('the clock does not move while work passes from one kind to another', async (open) => {
  const [db, other] = (await open.processes(2)) as [Db, Db | undefined]
  const { clock } = await openClock(db)
  const startMs = clock.now()
  await db.execute(`create table task (kind text not null); insert into task values ('later')`)
  const turnsAt: number[] = []
  let passing: Promise<unknown> | undefined
  /** During a look for tasks, a task changes from a kind that is read later to a kind that was already read. */
  const pass = async () => {
    passing ??= (other ?? db).query(sql`update task set kind = 'earlier'`)
    // The embedded database has one session, in which the change waits for the end of the look.
    if (other) await passing
  }
  const workOf = (kind: string, beforeLook: () => Promise<void>, turn: () => Promise<void>): DueWork => ({
    nextDueMs: async () => undefined,
    describeDue: async () => undefined,
    async listDue(tx) {
      await beforeLook()
      const rows = await tx.query(sql`select 1 from task where kind = ${kind}`)
      return rows.length > 0 ? [{ nextTurn: turn } as Loop] : []
    },
  })
  const earlier = workOf(
    'earlier',
    async () => {},
    async () => {
      turnsAt.push(clock.now())
      await db.query(sql`delete from task`)
    },
  )
  const later = workOf('later', pass, async () => void (await passing))
  const services = { db, works: [earlier, later], onLeave: async () => {} }
  assert.deepEqual(await runDueWork(services, clock, startMs + 60_000), { reachedMs: startMs + 60_000, isDone: true })
  assert.deepEqual(turnsAt, [startMs])
})
