import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { type Call, noRequest } from '../src/base/call.ts'
import { systemClock } from '../src/base/clock.ts'
import type { Db, Tx } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { timestampFromMs } from '../src/base/db/timestamps.ts'
import { Notices } from '../src/base/http/notices.ts'
import { openExpander } from '../src/messaging/expansion/expand.ts'
import { acceptOrder } from '../src/messaging/orders/accept-order.ts'
import { readSchedule } from '../src/messaging/orders/read-schedule.ts'
import type { Sending } from '../src/messaging/orders/sending.ts'
import { expandServices } from '../test/support/expansion.ts'
import { benchAdvance, growthName } from './advance.ts'
import { addCanvases, type CanvasName } from './canvas-flows.ts'
import { type Cost, measureCost } from './cost.ts'
import { acceptLocally, countPeople, zoneCount } from './dispatch.ts'
import { median } from './measure.ts'
import type { Population } from './people.ts'
import type { Database, Figure } from './report.ts'

const pollMs = 20
const rounds = 3
/** With more people one round and one kind of canvas take long enough. */
const manyPeople = 100_000
const deadlineMs = 600_000

/** The first step of the people who enter. */
const entered = ['a delay', 'a message at once'] as const
type First = (typeof entered)[number]

export function enterName(first: First): string {
  return `canvas entered, ${first}`
}

export function bareEnterName(first: First): string {
  return `bound: bare SQL of the same entries, ${first}`
}

export const enterPairs = entered.map((first) => {
  return { what: `${enterName(first)} / bare SQL`, above: enterName(first), below: bareEnterName(first) }
})
export const enterNames = entered.map(enterName)

/**
 * Measures accepting an order to a canvas at a local time, entering, and advancing due entries, and SQL that writes the same rows as the
 * bound. Deletes all of them.
 */
export async function benchCanvas(
  db: Db,
  database: Database,
  population: Population,
  postmaster: number | undefined,
): Promise<Figure[]> {
  const canvases = await addCanvases(db, population)
  const log = pino({ level: 'warn' })
  const { signal } = new AbortController()
  const actor = { kind: 'admin', id: 'bench', name: 'bench', from: noRequest } as const
  const call: Call = {
    db,
    workspace_id: population.workspaceId,
    actor,
    clock: systemClock(),
    log,
    signal,
    strict: false,
  }
  const setup: CanvasBench = {
    call,
    database,
    population,
    postmaster,
    count: await countPeople(db, population.workspaceId),
  }
  const figures: Figure[] = []
  for (const first of population.people >= manyPeople ? entered.slice(0, 1) : entered) {
    figures.push(...(await benchEntering(setup, first, canvases.get(first)!)))
  }
  figures.push(...(await benchAdvance(db, database, population, canvases, postmaster)))
  // Last, because it changes the time zones of the people.
  return [...figures, ...(await benchSchedules(setup, canvases.get('a delay')!))]
}

type CanvasBench = {
  readonly call: Call
  readonly database: Database
  readonly population: Population
  readonly postmaster: number | undefined
  /** The number of people. */
  readonly count: number
}

async function benchEntering(setup: CanvasBench, first: First, flow_id: number): Promise<Figure[]> {
  const { call, database, population, postmaster, count } = setup
  const { people } = population
  const times = Array.from({ length: people >= manyPeople ? 1 : rounds })
  const bare: Cost[] = []
  for (const _ of times) {
    await clear(call.db)
    bare.push(await measureCost(postmaster, () => enterBare(call.db, population, first, flow_id)))
  }
  const own: Cost[] = []
  for (const _ of times) {
    await clear(call.db)
    own.push(await measureCost(postmaster, () => enterAll(call, first, flow_id, count), enterName(first)))
  }
  await clear(call.db)
  const of = { database, people }
  const rate = (what: string, spent: readonly Cost[]): Figure => ({
    ...{ what, ...of, unit: 'people/s', value: (count * 1000) / median(spent.map(({ ms }) => ms)) },
    nodeUs: median(spent.map(({ nodeUs }) => nodeUs)) / count,
    ...(postmaster !== undefined && { databaseUs: median(spent.map(({ databaseUs }) => databaseUs)) / count }),
  })
  const most = (pick: (spent: Cost) => number) => Math.max(...own.map(pick))
  return [
    rate(bareEnterName(first), bare),
    rate(enterName(first), own),
    { what: `${enterName(first)}, memory on top`, ...of, value: most(({ memoryMb }) => memoryMb), unit: 'MB' },
    { what: growthName(enterName(first)), ...of, value: most(({ growthMb }) => growthMb), unit: 'MB' },
  ]
}

function orderTo(flow_id: number, canvas: CanvasName): Sending {
  const flow = { flow_id, kind: 'canvas', id: canvas, by: 'api' } as const
  return { broadcast: true, recipient_subscription_state: 'subscribed', override_frequency_capping: false, flow }
}

/** Accepts an order to all people and waits until all have entered. */
async function enterAll(call: Call, first: First, flow_id: number, count: number): Promise<void> {
  const { db, clock, log } = call
  const order = { sending: orderTo(flow_id, first), class: 'marketing' } as const
  const { dispatch_id } = await db.transaction((tx) => acceptOrder(tx, call, order))
  const expander = openExpander({ ...expandServices(db, clock), log })
  while (!(await isExpanded(db, dispatch_id))) await sleep(pollMs)
  await expander.close()
  await checkEntered(db, count)
}

async function isExpanded(db: Db, dispatch_id: string): Promise<boolean> {
  const [slot] = await db.query<{ state: string }>(sql`
    select state from dispatch_slot where dispatch_id = ${dispatch_id}::text::uuid`)
  return slot?.state === 'done'
}

async function checkEntered(db: Db, count: number): Promise<void> {
  const [row] = await db.query<{ count: number }>(sql`select count(*)::int as count from entry where state <> 'ended'`)
  if (row!.count !== count) throw new Error(`${row!.count} of ${count} people have entered`)
}

/** Inserts the same rows without any checks. */
function enterBare(db: Db, { workspaceId, nowMs }: Population, first: First, flow_id: number): Promise<void> {
  const everybody = sql`profile where workspace_id = ${workspaceId}::int4 and merged_into is null`
  const [state, step] = first === 'a delay' ? ['waiting', 'wait'] : ['sending', 'hello']
  const insert = async (tx: Tx) => {
    await tx.query(sql`
      insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, dispatch_id, state, variant, step, visit,
        visits, due_at, entered_at)
      select bucket, profile_id, gen_random_uuid(), workspace_id, ${flow_id}::int4, 1, 'marketing',
        '6f1c0f2e-0000-4000-8000-000000000001', ${state}, 'default', ${step}, 1, jsonb_build_object(${step}::text, 1),
          ${timestampFromMs(nowMs)},
        ${timestampFromMs(nowMs)} from ${everybody}`)
    await tx.query(sql`
      insert into received (bucket, profile_id, flow_id, workspace_id, entries, last_entered_at, variant)
      select bucket, profile_id, ${flow_id}::int4, workspace_id, 1, ${timestampFromMs(nowMs)}, 'default' from ${everybody}`)
    if (first === 'a delay') return
    await tx.query(sql`
      insert into message (message_id, profile_id, bucket, workspace_id, cause, step, visit, channel, class, state, planned_at, due_at,
        rates_granted, flow_id, flow_version)
      select profile_id, profile_id, bucket, workspace_id, entry_id, step, 1, 'email', class, 'queued', entered_at, entered_at, -1,
        flow_id, version from entry`)
  }
  return db.transaction(insert, { deadlineMs })
}

/** Measures accepting orders, which inserts slots and reads no people. */
async function benchSchedules(setup: CanvasBench, flow_id: number): Promise<Figure[]> {
  const { call, database, population } = setup
  const day = new Date(call.clock.now() + 86_400_000).toISOString().slice(0, 10)
  const figures: Figure[] = []
  for (const how of ['in_local_time', 'at_optimal_time'] as const) {
    const schedule = readSchedule({ time: `${day} 09:00`, [how]: true }, call.clock.now(), new Notices(false))
    const ms = await acceptLocally(call, orderTo(flow_id, 'a delay'), schedule)
    await checkSlots(call.db)
    figures.push({
      ...{ what: `canvas, ${how} in ${zoneCount} zones, accepted`, database, people: population.people },
      ...{ value: ms, unit: 'ms' },
    })
  }
  await clear(call.db)
  return figures
}

/** Checks that there are slots for each zone, for people without a zone and for the rest, and no entries. */
async function checkSlots(db: Db): Promise<void> {
  const [row] = await db.query<{ slots: number; entries: number }>(sql`
    select (select count(*)::int from dispatch_slot) / (select count(*)::int from dispatch) as slots,
      (select count(*)::int from entry) as entries`)
  const { slots, entries } = row!
  if (slots < 2 || slots > zoneCount + 3 || entries > 0)
    throw new Error(`there are ${slots} slots and ${entries} entries`)
}

async function clear(db: Db): Promise<void> {
  await db.execute('truncate entry, received, message, dispatch, dispatch_slot')
  await db.execute('checkpoint')
}
