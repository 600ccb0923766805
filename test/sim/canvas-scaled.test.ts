import assert from 'node:assert/strict'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { onCitus, testPostgres } from '../servers/postgres.ts'
import { newDatabase } from '../servers/template.ts'
import { seed, sizes } from '../sizes.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { apps, groups } from '../support/people.ts'
import { apartUnits, drawScaled, inUnits, type Moment, type ScaledProgram } from './scaled-programs.ts'

const canvasCount = 5
const peopleCount = 12
const momentCount = 4
const dayMs = 86_400_000
/** The durations that a day is scaled to. The test repeats with longer days when the machine was too busy for short ones. */
const dayBecomesMs = [1_000, 3_000]
/** The longest wait of a person after the last action. */
const lastUnits = 3 * 5 + 1
/** An idle process looks for due work every second. */
const lookMs = 150
const patienceMs = 240_000
/** A process that looks less often may be late for the next action. */
const slowMs = 400
const skip =
  databases.includes('postgres') && !onCitus ? false : 'PostgreSQL is not here, or is Citus: nothing copies a database'

/** Units for the last actions of a moment, which are a few seconds late. */
const earlyMin = -0.05

/** A decision about a person, at this many units after the beginning. */
type Decided = { readonly who: string; readonly what: string; readonly units: number }

test('canvases make the same decisions in days of a virtual clock and in as many seconds of a real one', {
  skip,
}, async (t) => {
  t.diagnostic(`seed ${seed}`)
  for (let round = 0; round < sizes.scaledRounds; round++) {
    const program = drawScaled(new Random(seed + round), canvasCount, peopleCount, momentCount)
    const original = await newDatabase('days')
    const maker = await startService({ env: { DATABASE_URL: original, EASEL_CLOCK: 'virtual' } })
    await prepare(maker, program)
    await maker[Symbol.asyncDispose]()
    // The same people with the same ids, because control groups and variants depend on them.
    const copies = await Promise.all(dayBecomesMs.map((ms) => copyOf(original, ms)))
    // One after the other, because they share the thread and the seconds are short.
    const days = await run(program, original, dayMs)
    for (const [i, unitMs] of dayBecomesMs.entries()) {
      const seconds = await run(program, copies[i]!, unitMs)
      const [compared] = await Promise.allSettled([compare(days.decided, seconds.decided)])
      t.diagnostic(`looked after ${Math.round(seconds.slowestMs)} ms at the latest`)
      if (compared.status === 'fulfilled') {
        t.diagnostic(`${days.decided.length} decisions, the latest ${Math.round(compared.value * unitMs)} ms late`)
        break
      }
      if (seconds.slowestMs < slowMs || i === dayBecomesMs.length - 1) throw compared.reason
    }
  }
})

async function copyOf(databaseUrl: string, unitMs: number): Promise<string> {
  const server = await testPostgres()
  const name = new URL(databaseUrl).pathname.slice(1)
  return server!.createDatabase(`${name}_${unitMs}`, name)
}

async function prepare(service: Service, { canvases, people }: ScaledProgram): Promise<void> {
  await service.admin('POST', '/admin/apply', {
    apps: Object.values(apps),
    subscription_groups: Object.values(groups),
    canvases: inUnits([...canvases, idle], dayMs),
  })
  await post(service, '/users/track', {
    attributes: people.map(({ id, plan }) => ({ external_id: id, plan, email: `${id}@example.com` })),
  })
}

/** A pause and a resume make the workers look for due work. */
const idle = { id: 'idle', name: 'idle', state: 'active', first: 's', steps: [{ id: 's', type: 'delay', for: '{1}' }] }

type Ran = { readonly decided: readonly Decided[]; readonly slowestMs: number }

/** Runs a program. With days of full length the clock is virtual. */
async function run(program: ScaledProgram, databaseUrl: string, unitMs: number): Promise<Ran> {
  let db: Db | undefined
  const opened = (own: Db) => {
    db = own
  }
  const isVirtual = unitMs === dayMs
  const env = { DATABASE_URL: databaseUrl, EASEL_CLOCK: isVirtual ? 'virtual' : 'system' }
  await using service = await startService({ env, opened })
  const going = isVirtual ? new InDays(service) : new InSeconds(service, db!)
  await service.admin('POST', '/admin/apply', { canvases: inUnits(program.canvases, unitMs) })
  const startMs = await going.begin()
  for (const [i, moment] of program.moments.entries()) {
    await going.waitUntil(startMs + i * apartUnits * unitMs)
    await turn(service, moment, unitMs)
    await going.untilIdle()
    await act(service, moment)
    await going.untilIdle()
  }
  await going.end(startMs + ((momentCount - 1) * apartUnits + lastUnits) * unitMs)
  return { decided: await listDecided(db!, startMs, unitMs), slowestMs: going.slowestMs }
}

/** A clock that is moved. */
class InDays {
  readonly slowestMs = 0
  readonly #service: Service

  constructor(service: Service) {
    this.#service = service
  }

  async begin(): Promise<number> {
    return Date.parse((await this.#service.admin('GET', '/admin/clock')).body.now)
  }

  async waitUntil(ms: number): Promise<void> {
    const nowMs = await this.begin()
    if (ms > nowMs) await this.#service.admin('POST', '/admin/clock', { now: new Date(ms).toISOString() })
  }

  untilIdle(): Promise<void> {
    return this.#service.advance('PT1S')
  }

  end(untilMs: number): Promise<void> {
    return this.waitUntil(untilMs)
  }
}

/** The clock of the machine, with a process that looks for due work often. */
class InSeconds {
  /** The longest time between two looks. */
  slowestMs = 0
  readonly #service: Service
  readonly #db: Db
  readonly #stop = new AbortController()
  #looking: Promise<void> = Promise.resolve()

  constructor(service: Service, db: Db) {
    this.#service = service
    this.#db = db
  }

  async begin(): Promise<number> {
    this.#looking = this.#look()
    return Date.now()
  }

  async waitUntil(ms: number): Promise<void> {
    await pause(Math.max(ms - Date.now(), 0))
  }

  async untilIdle(): Promise<void> {
    for (const endMs = performance.now() + patienceMs; ; await pause(10)) {
      const nowAt = new Date().toISOString()
      const left = await this.#db.query(sql`
        select 'slot' as what from dispatch_slot where state in ('waiting', 'running')
        union all select 'signal' from signal union all select 'flow' from flow where unsettled and id <> 'idle'
        union all select 'message' from message where state in ('queued', 'leased')
        union all select 'entry' from entry where state in ('arriving', 'waiting', 'listening') and not held
          and due_at < ${nowAt}::timestamptz limit 1`)
      if (left.length === 0) return
      assert.ok(performance.now() < endMs, JSON.stringify(left))
    }
  }

  async end(untilMs: number): Promise<void> {
    while (Date.now() < untilMs) {
      const open = await this.#db.query(sql`select 1 from entry where state <> 'ended' limit 1`)
      if (open.length === 0) break
      await pause(lookMs)
    }
    this.#stop.abort()
    await this.#looking
  }

  async #look(): Promise<void> {
    for (let i = 0, lastMs = performance.now(); !this.#stop.signal.aborted; i++) {
      await this.#service.admin('POST', `/admin/canvases/idle/${i % 2 === 0 ? 'pause' : 'resume'}`)
      await pause(lookMs)
      this.slowestMs = Math.max(this.slowestMs, performance.now() - lastMs)
      lastMs = performance.now()
    }
  }
}

async function turn(service: Service, { turns, published }: Moment, unitMs: number): Promise<void> {
  for (const { canvas, verb } of turns) await service.admin('POST', `/admin/canvases/${canvas}/${verb}`)
  if (published.length > 0) await service.admin('POST', '/admin/apply', { canvases: inUnits(published, unitMs) })
}

/** Sends all changes in one request, because each person has only one action. */
async function act(service: Service, { triggers, events, changes }: Moment): Promise<void> {
  const time = new Date(Date.now() + 100 * dayMs).toISOString()
  await Promise.all([
    ...triggers.map(({ canvas, people }) => {
      const recipients = people.map((external_user_id) => ({ external_user_id }))
      return post(service, '/canvas/trigger/send', { canvas_id: canvas, recipients })
    }),
    // Events with a future time get the current time.
    post(service, '/users/track', {
      events: [
        ...events.map(({ person: external_id, name, cart }) => ({ external_id, name, time, properties: { cart } })),
        { external_id: 'bystander', name: 'nothing', time },
      ],
      attributes: [
        ...changes.map(({ person: external_id, plan }) => ({ external_id, plan })),
        { external_id: 'bystander', plan: 'none' },
      ],
    }),
  ])
}

async function post(service: Service, path: string, body: object): Promise<void> {
  const { status, text } = await service.post(path, body)
  assert.equal(status, 201, text)
}

/** Returns how each entry began, the decisions about it in order, how it ended, and the people who did not enter. */
async function listDecided(db: Db, startMs: number, unitMs: number): Promise<Decided[]> {
  const rows = await db.query<{ who: string; what: string; time: Date }>(sql`
    with numbered as (
      select *, ' entry ' || row_number() over (partition by bucket, profile_id, flow_id order by entered_at) as number from entry),
    decided as (
      select d.bucket, d.profile_id, d.flow_id, coalesce(e.number, '') as number, d.time, 2 as rank,
        concat_ws(' ', d.step, d.visit, d.channel, d.reason) as what
      from decision d left join numbered e on e.bucket = d.bucket and e.entry_id = d.cause
      union all select bucket, profile_id, flow_id, number, entered_at, 1,
        concat_ws(' ', 'came', variant, case when in_control then 'control' end) from numbered
      union all select bucket, profile_id, flow_id, number, ended_at, 3,
        concat_ws(' ', coalesce(ended, state), 'at', step, 'after', visits) from numbered)
    select p.external_id || ' in ' || f.id || d.number as who, d.what, d.time from decided d join flow f using (flow_id)
    join profile p on p.bucket = d.bucket and p.profile_id = d.profile_id order by 1, d.rank, d.time`)
  const decided = rows.map(({ who, what, time }) => {
    assert.ok(time, `${who}: ${what}`)
    return { who, what, units: (time.getTime() - startMs) / unitMs }
  })
  return decided.filter((each, i) => !isToldAgain(each, decided[i - 1]))
}

/** The reason for a refused entry is recorded once a day, and days are seconds here. */
function isToldAgain({ who, what }: Decided, before: Decided | undefined): boolean {
  return !who.includes(' entry ') && before?.who === who && before.what === what
}

/** Checks that both runs have the same decisions in the same order, and none early. Returns the largest delay in units. */
async function compare(days: readonly Decided[], seconds: readonly Decided[]): Promise<number> {
  const byEntry = Map.groupBy(seconds, ({ who }) => who)
  let latest = 0
  for (const [who, expected] of Map.groupBy(days, (each) => each.who)) {
    const found = byEntry.get(who) ?? []
    byEntry.delete(who)
    const shown = (all: readonly Decided[]) => all.map(({ what, units }) => `${units.toFixed(2)} ${what}`).join('\n')
    const texts = `${who}\n${shown(expected)}\nand in seconds\n${shown(found)}`
    assert.deepEqual(ordered(found), ordered(expected), texts)
    const lates = found.map(({ units }, i) => units - expected[i]!.units)
    assert.ok(Math.min(...lates) > earlyMin, `too early: ${texts}`)
    latest = Math.max(latest, ...lates)
  }
  assert.deepEqual([...byEntry.keys()], [])
  return latest
}

function ordered(decided: readonly Decided[]): string[] {
  return decided.map(({ what }) => what)
}
