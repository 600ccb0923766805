import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type Call, noRequest } from '../src/base/call.ts'
import { systemClock } from '../src/base/clock.ts'
import { textArray } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { Notices } from '../src/base/http/notices.ts'
import { openExpander } from '../src/messaging/expansion/expand.ts'
import { acceptOrder } from '../src/messaging/orders/accept-order.ts'
import { readSchedule } from '../src/messaging/orders/read-schedule.ts'
import type { Schedule } from '../src/messaging/orders/schedule.ts'
import type { Sending } from '../src/messaging/orders/sending.ts'
import { expandServices } from '../test/support/expansion.ts'
import { type Cost, measureCost } from './cost.ts'
import { median } from './measure.ts'
import type { Population } from './people.ts'
import type { Database, Figure } from './report.ts'

const pollMs = 20
const rounds = 3
/** With more people one round takes long enough. */
const manyPeople = 100_000
export const zoneCount = 400
const deadlineMs = 600_000

const sending: Sending & { email: object } = {
  broadcast: true,
  recipient_subscription_state: 'subscribed',
  override_frequency_capping: false,
  email: { app_id: 'bench', from: 'news@shop.example', subject: 'Hi', body: '<p>Hi</p>' },
}

export const expandName = 'broadcast, people expanded'
export const bareExpandName = 'bound: bare SQL of the same messages'
export const expandMemoryName = 'broadcast, memory on top'
const scheduleName = `local time in ${zoneCount} zones, accepted`

/**
 * Measures how fast a broadcast becomes messages and its memory, with one statement that writes the same rows as the bound, and accepting
 * an order at a local time. Deletes the messages.
 */
export async function benchDispatch(db: Db, database: Database, population: Population): Promise<Figure[]> {
  const { workspaceId, people } = population
  const call = callOf(db, workspaceId)
  const count = await countPeople(db, workspaceId)
  const times = Array.from({ length: people >= manyPeople ? 1 : rounds })
  const bare: number[] = []
  for (const _ of times) {
    await clear(db)
    bare.push((await measureCost(undefined, () => insertBare(db, workspaceId))).ms)
  }
  await clear(db)
  const expanded: Cost[] = []
  for (const _ of times) expanded.push(await measureCost(undefined, () => expand(call, count), expandName))
  await clear(db)
  const day = new Date(call.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const schedule = readSchedule({ time: `${day} 09:00`, in_local_time: true }, call.clock.now(), new Notices(false))
  const accepting = await acceptLocally(call, sending, schedule)
  await clear(db)
  const each = (value: number) => ({ value, database, people })
  return [
    { what: bareExpandName, unit: 'people/s', ...each((count * 1000) / median(bare)) },
    {
      what: expandName,
      unit: 'people/s',
      ...each((count * 1000) / median(expanded.map(({ ms }) => ms))),
      nodeUs: median(expanded.map(({ nodeUs }) => nodeUs)) / count,
    },
    { what: expandMemoryName, unit: 'MB', ...each(median(expanded.map(({ memoryMb }) => memoryMb))) },
    { what: scheduleName, unit: 'ms', ...each(accepting) },
  ]
}

function callOf(db: Db, workspace_id: number): Call {
  const { signal } = new AbortController()
  const actor = { kind: 'admin', id: 'bench', name: 'bench', from: noRequest } as const
  return { db, workspace_id, actor, clock: systemClock(), log: pino({ level: 'warn' }), signal, strict: false }
}

/** Writes a broadcast to everybody, with a message for each person. Returns its id. */
export async function writeBroadcast(db: Db, { workspaceId }: Population): Promise<string> {
  return expand(callOf(db, workspaceId), await countPeople(db, workspaceId))
}

async function expand(call: Call, people: number): Promise<string> {
  const { db, clock, log } = call
  const { dispatch_id } = await db.transaction((tx) => acceptOrder(tx, call, { sending, class: 'marketing' }))
  const expander = openExpander({ ...expandServices(db, clock), log })
  while (!(await isExpanded(db, dispatch_id, people))) await sleep(pollMs)
  await expander.close()
  return dispatch_id
}

async function isExpanded(db: Db, dispatch_id: string, people: number): Promise<boolean> {
  const [slot] = await db.query<{ state: string; expanded: string }>(sql`
    select state, expanded from dispatch_slot where dispatch_id = ${dispatch_id}::text::uuid`)
  if (slot?.state !== 'done') return false
  if (Number(slot.expanded) !== people) throw new Error(`${slot.expanded} of ${people} people became messages`)
  return true
}

/** Counts the people of the workspace, without merged ones. */
export async function countPeople(db: Db, workspaceId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from profile where workspace_id = ${workspaceId}::int4 and merged_into is null`)
  return row!.count
}

/** Inserts the same rows without any checks. */
function insertBare(db: Db, workspaceId: number): Promise<unknown> {
  const insert = sql`
    insert into message (message_id, profile_id, bucket, workspace_id, cause, channel, class, state, planned_at, due_at)
    select profile_id, profile_id, bucket, workspace_id, '6f1c0f2e-0000-4000-8000-000000000001', 'email', 'marketing', 'queued',
      'epoch', 'epoch'
    from profile where workspace_id = ${workspaceId}::int4 and merged_into is null`
  return db.transaction((tx) => tx.query(insert), { deadlineMs })
}

/** Measures accepting an order at a local time, in milliseconds, with people in `zoneCount` zones. */
export async function acceptLocally(call: Call, order: Sending, schedule: Schedule): Promise<number> {
  const { db } = call
  const zones = Intl.supportedValuesOf('timeZone').slice(0, zoneCount)
  await db.query(sql`
    update profile p set time_zone = v.zone
    from unnest(${textArray(zones)}::text[]) with ordinality v(zone, n) where p.random_bucket = v.n`)
  await db.execute('vacuum (analyze) profile')
  const accepting = { sending: order, class: 'marketing', schedule } as const
  const spent: number[] = []
  for (let i = 0; i < rounds; i++) {
    spent.push((await measureCost(undefined, () => db.transaction((tx) => acceptOrder(tx, call, accepting)))).ms)
  }
  return median(spent)
}

async function clear(db: Db): Promise<void> {
  await db.execute('truncate message, dispatch, dispatch_slot')
  await db.execute('checkpoint')
}
