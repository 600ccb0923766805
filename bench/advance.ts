import { pino } from 'pino'
import { type VirtualClock, virtualClock } from '../src/base/clock.ts'
import { int4Array } from '../src/base/db/arrays.ts'
import type { Db } from '../src/base/db/db.ts'
import { prepared, type Sql, sql } from '../src/base/db/sql.ts'
import { timestampFromMs } from '../src/base/db/timestamps.ts'
import { openDueEntries } from '../src/messaging/journeys/due-entries.ts'
import { moveServices } from '../test/support/journeys.ts'
import type { CanvasName } from './canvas-flows.ts'
import { type Cost, measureCost } from './cost.ts'
import type { Population } from './people.ts'
import type { Database, Figure } from './report.ts'

/** The most entries that are due at the same time. */
const dueTogetherMax = 100_000
/** The page size of the worker. */
const claimed = 500
const hourMs = 3_600_000

export const boundAdvanceName = 'bound: bare claim-and-update of due entries'
export const boundMessageName = 'bound: the same and their messages'

const kinds = ['a delay', 'a time of day', 'a decision', 'a message'] as const

export function advanceName(kind: CanvasName): string {
  return `entries advanced to ${kind}`
}

export const advanceNames = kinds.map(advanceName)
export const advancePairs: readonly { what: string; above: string; below: string }[] = kinds.map((kind) => {
  const below = kind === 'a message' ? boundMessageName : boundAdvanceName
  return { what: `${advanceName(kind)} / bare SQL`, above: advanceName(kind), below }
})

export function growthName(what: string): string {
  return `${what}, memory grown`
}

/** One measurement, on the entries of one hour. */
type AdvanceRun = { readonly what: string; readonly canvas: CanvasName; run(clock: VirtualClock): Promise<unknown> }

/**
 * Measures how many due entries a second advance to the step after their wait, and SQL that claims and updates the same rows as the
 * bound. There are at least as many entries as people. Those of one hour are due together and spread over the table. Deletes all of them.
 */
export async function benchAdvance(
  db: Db,
  database: Database,
  population: Population,
  canvases: ReadonlyMap<CanvasName, number>,
  postmaster: number | undefined,
): Promise<Figure[]> {
  const { people, nowMs } = population
  const advance = (clock: VirtualClock) => advanceAll(db, clock)
  const turns: AdvanceRun[] = [
    // The first run is a warm-up and not reported.
    { what: 'warm', canvas: 'a delay', run: advance },
    { what: boundAdvanceName, canvas: 'a delay', run: (clock) => moveBare(db, population, clock, sql``) },
    ...kinds.map((kind): AdvanceRun => ({ what: advanceName(kind), canvas: kind, run: advance })),
    { what: boundMessageName, canvas: 'a message', run: (clock) => moveBare(db, population, clock, insertBare) },
  ]
  const together = Math.min(people, dueTogetherMax)
  await seedEntries(
    db,
    population,
    turns.map(({ canvas }) => canvases.get(canvas)!),
    together,
  )
  const clock = virtualClock(nowMs)
  const figures: Figure[] = []
  for (const { what, run } of turns) {
    clock.moveTo(clock.now() + hourMs)
    const spent = await measureCost(postmaster, () => run(clock), what)
    await checkMoved(db, clock)
    if (what !== 'warm') figures.push(...figuresOf(what, spent, together, { database, people }))
  }
  await db.execute('truncate entry, message')
  return figures
}

function figuresOf(what: string, spent: Cost, count: number, of: { database: Database; people: number }): Figure[] {
  const { ms, nodeUs, databaseUs, growthMb } = spent
  const rate: Figure = {
    ...{ what, ...of, value: (count * 1000) / ms, unit: 'entries/s', nodeUs: nodeUs / count },
    ...(databaseUs > 0 && { databaseUs: databaseUs / count }),
  }
  return what.startsWith('bound') ? [rate] : [rate, { what: growthName(what), ...of, value: growthMb, unit: 'MB' }]
}

async function advanceAll(db: Db, clock: VirtualClock): Promise<void> {
  const parts = moveServices(db, clock)
  const turn = openDueEntries({ ...parts, db, log: pino({ level: 'warn' }), onMoved: () => {} })
  while (await turn());
}

/** Inserts the messages of the entries in `moved`. */
const insertBare = sql`, made as (
  insert into message (message_id, profile_id, bucket, workspace_id, cause, step, visit, channel, class, state, planned_at, due_at,
    rates_granted,
    flow_id, flow_version)
  select profile_id, profile_id, bucket, workspace_id, entry_id, step, 1, 'email', class, 'queued', due_at, due_at, -1, flow_id, version
  from moved)`

async function moveBare(db: Db, { workspaceId }: Population, clock: VirtualClock, insert: Sql): Promise<void> {
  const move = prepared(sql`
    with due as (
      select bucket, entry_id from entry
      where workspace_id = ${workspaceId}::int4 and class = 'marketing' and state in ('arriving', 'waiting', 'listening') and not held
        and due_at <= ${timestampFromMs(clock.now())}
      order by due_at limit ${claimed} for update skip locked),
    moved as (
      update entry e set step = 'later', visits = '{"wait": 1, "later": 1}', due_at = e.due_at + interval '2 days'
      from due where e.bucket = due.bucket and e.entry_id = due.entry_id
      returning e.bucket, e.profile_id, e.entry_id, e.workspace_id, e.class, e.step, e.due_at, e.flow_id, e.version)${insert}
    select count(*)::int as count from moved`)
  for (;;) {
    const [moved] = await db.query<{ count: number }>(move)
    if (moved!.count < claimed) return
  }
}

async function checkMoved(db: Db, clock: VirtualClock): Promise<void> {
  const [left] = await db.query<{ count: number }>(sql`
    select count(*)::int as count from entry where step = 'wait' and due_at <= ${timestampFromMs(clock.now())}`)
  if (left!.count > 0) throw new Error(`${left!.count} entries have not moved`)
}

/** Inserts waiting entries: for each of `flows` `together` ones, due an hour after those before. All other people wait for longer. */
async function seedEntries(db: Db, population: Population, flows: readonly number[], together: number): Promise<void> {
  const { workspaceId, people, nowMs } = population
  const rest = Math.max(0, people - flows.length * together)
  const sizes = [...flows.map(() => together), rest]
  const hours = [...flows.keys(), 24 * 365]
  await db.execute('truncate entry, message')
  await db.query(sql`
    insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, visit, visits, due_at, entered_at)
    select p.bucket, p.profile_id, gen_random_uuid(), p.workspace_id, s.flow_id, 1, 'marketing', 'waiting', 'wait', 1, '{"wait": 1}',
      ${timestampFromMs(nowMs)} + s.hour * interval '1 hour' + p.n * interval '1 ms', ${timestampFromMs(nowMs)}
    from (
      select bucket, profile_id, workspace_id, row_number() over (order by random_bucket, profile_id) - 1 as n
      from profile where workspace_id = ${workspaceId}::int4 and merged_into is null) p
    join unnest(${int4Array([...flows, flows[0]!])}::int4[], ${int4Array(sizes)}::int4[], ${int4Array(hours)}::int4[])
      with ordinality s(flow_id, size, hour, i)
      on mod(p.n + ${people}::int4 - mod((s.i - 1) * ${together}::int4, ${people}::int4), ${people}::int4) < s.size`)
  await db.execute('vacuum (analyze) entry')
  await db.execute('checkpoint')
}
