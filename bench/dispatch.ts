import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { pino } from 'pino'
import type { Call } from '../src/base/call.ts'
import { systemClock } from '../src/base/clock.ts'
import { textArray } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { acceptDispatch } from '../src/dispatch/accept.ts'
import { openExpander } from '../src/dispatch/expand.ts'
import { readSchedule, type Schedule } from '../src/dispatch/schedule.ts'
import type { Sending } from '../src/dispatch/sending.ts'
import { median } from './measure.ts'
import type { Crowd } from './people.ts'
import type { Database, Figure } from './report.ts'

const pollMs = 20
const rounds = 3
/** With more people one round is long enough. */
const manyPeople = 100_000
const zoneCount = 400
const deadlineMs = 600_000
const megabyte = 2 ** 20

const sending: Sending = {
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
 * How fast a broadcast becomes messages, beside one statement that writes the same rows, and how much memory it takes; and how long it
 * takes to accept a local time. Leaves no messages behind.
 */
export async function benchDispatch(db: Db, database: Database, crowd: Crowd): Promise<Figure[]> {
  const { workspaceId, people } = crowd
  const log = pino({ level: 'warn' })
  const { signal } = new AbortController()
  const actor = { kind: 'admin', id: 'bench', name: 'bench' } as const
  const call: Call = { db, workspace_id: workspaceId, actor, clock: systemClock(), log, signal }
  const count = await countLiving(db, workspaceId)
  const times = Array.from({ length: people >= manyPeople ? 1 : rounds })
  const bare: number[] = []
  for (const _ of times) {
    await clear(db)
    bare.push(await timed(() => insertBare(db, workspaceId)))
  }
  await clear(db)
  const expanded: Expanded[] = []
  for (const _ of times) expanded.push(await expand(call, count))
  await clear(db)
  const accepting = await acceptLocally(call)
  await clear(db)
  const each = (value: number) => ({ value, database, people })
  return [
    { what: bareExpandName, unit: 'people/s', ...each((count * 1000) / median(bare)) },
    {
      what: expandName,
      unit: 'people/s',
      ...each((count * 1000) / median(expanded.map(({ ms }) => ms))),
      nodeUs: median(expanded.map(({ cpuUs }) => cpuUs)) / count,
    },
    { what: expandMemoryName, unit: 'MB', ...each(median(expanded.map(({ bytes }) => bytes)) / megabyte) },
    { what: scheduleName, unit: 'ms', ...each(accepting) },
  ]
}

type Expanded = { ms: number; cpuUs: number; bytes: number }

async function expand(call: Call, people: number): Promise<Expanded> {
  const { db, clock, log } = call
  const startCpu = process.cpuUsage()
  collectGarbage()
  const start = process.memoryUsage()
  let bytes = 0
  const sampling = setInterval(() => {
    const { rss, heapUsed, external } = process.memoryUsage()
    // What was freed before may be used again without the process growing.
    bytes = Math.max(bytes, rss - start.rss, heapUsed + external - start.heapUsed - start.external)
  }, pollMs)
  const startedMs = performance.now()
  const { dispatch_id } = await db.transaction((tx) => acceptDispatch(tx, call, { sending, class: 'marketing' }))
  const expander = openExpander({ db, clock, log, onExpanded: () => {} })
  while (!(await isExpanded(db, dispatch_id, people))) await sleep(pollMs)
  const ms = performance.now() - startedMs
  clearInterval(sampling)
  await expander.close()
  const { user, system } = process.cpuUsage(startCpu)
  return { ms, cpuUs: user + system, bytes }
}

function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
}

async function isExpanded(db: Db, dispatch_id: string, people: number): Promise<boolean> {
  const [slot] = await db.query<{ state: string; expanded: string }>(sql`
    select state, expanded from dispatch_slot where dispatch_id = ${dispatch_id}::text::uuid`)
  if (slot?.state !== 'done') return false
  if (Number(slot.expanded) !== people) throw new Error(`${slot.expanded} of ${people} people became messages`)
  return true
}

/** Those who were seeded, and whoever the service has met before. */
async function countLiving(db: Db, workspaceId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from profile where workspace_id = ${workspaceId}::int4 and merged_into is null`)
  return row!.count
}

/** What nobody can do without: the rows, with nothing looked at. */
function insertBare(db: Db, workspaceId: number): Promise<unknown> {
  const insert = sql`
    insert into message (message_id, profile_id, bucket, workspace_id, cause, channel, class, state, planned_at, due_at)
    select profile_id, profile_id, bucket, workspace_id, '6f1c0f2e-0000-4000-8000-000000000001', 'email', 'marketing', 'queued',
      'epoch', 'epoch'
    from profile where workspace_id = ${workspaceId}::int4 and merged_into is null`
  return db.transaction((tx) => tx.query(insert), { deadlineMs })
}

/** Milliseconds to accept a mail at a local time, when there are people in as many zones. */
async function acceptLocally(call: Call): Promise<number> {
  const { db } = call
  const zones = Intl.supportedValuesOf('timeZone').slice(0, zoneCount)
  await db.query(sql`
    update profile p set time_zone = v.zone
    from unnest(${textArray(zones)}::text[]) with ordinality v(zone, n) where p.random_bucket = v.n`)
  await db.execute('vacuum (analyze) profile')
  const day = new Date(call.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const schedule: Schedule = readSchedule({ time: `${day} 09:00`, in_local_time: true }, call.clock.now())
  const spent: number[] = []
  for (let i = 0; i < rounds; i++) {
    spent.push(
      await timed(() => db.transaction((tx) => acceptDispatch(tx, call, { sending, class: 'marketing', schedule }))),
    )
  }
  return median(spent)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

async function clear(db: Db): Promise<void> {
  await db.execute('truncate message, dispatch, dispatch_slot')
  await db.execute('checkpoint')
}
