import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { parseUuid } from '../../src/base/ids.ts'
import { experimentPath } from '../../src/messaging/journeys/assignment.ts'
import type { MailServer } from '../servers/smtp.ts'
import type { HurriedCanvas, HurriedStep } from './hurry-programs.ts'

/** The requests to the service, and the times of their answers. */
export type Requests = {
  /** Orders by their id, with their recipients; undefined means everybody. */
  readonly orders: ReadonlyMap<string, readonly string[] | undefined>
  /** Epoch milliseconds by person. */
  readonly unsubscribed: ReadonlyMap<string, number>
  /** From the answer to the pause of a canvas to the request to resume it, epoch milliseconds. */
  readonly pauses: readonly { readonly canvas: string; readonly fromMs: number; readonly untilMs: number }[]
  readonly cap: number
  /** Returns whether a person's zone has quiet hours during the whole test. */
  isQuiet(id: string): boolean
  /** How often a worker was killed, and how many mails a worker has in flight at most. */
  readonly kills: number
  readonly connections: number
}

type EntryRow = {
  entry_id: string
  id: string
  canvas: string
  dispatch_id: string | null
  definition: HurriedCanvas
  state: string
  ended: string
  in_control: boolean
  step: string
  visits: Record<string, number>
  entered_at: Date
  /** The reasons of decisions without a message. */
  reasons: string[] | null
}
type MessageRow = {
  cause: string
  id: string
  class: string
  step: string
  visit: number
  state: string
  reason: string
  subject: string | null
  planned_at: Date
  reasons: string[] | null
  decided_at: Date
}

/** The ends of entries of people who did not enter. */
const refusals = ['already_entered', 'not_in_segment', 'not_in_audience', 'canvas_paused']
/** The largest difference between two clocks that follow the same one. */
const apartMs = 100

/** Checks the invariants of canvases after all entries and messages have ended. Returns a summary as text. */
export async function checkCanvases(db: Db, servers: readonly MailServer[], requests: Requests): Promise<string> {
  const entries = await listEntries(db)
  const messages = await listMessages(db)
  checkOrders(entries, requests)
  for (const entry of entries) checkEnd(entry)
  checkAgain(entries)
  checkMessages(entries, messages, requests)
  await checkReceived(db, entries)
  await checkDone(db, entries)
  checkMails(messages, servers, requests)
  const ends = Map.groupBy(entries, ({ ended }) => ended)
  const reasons = Map.groupBy(messages, ({ reason }) => reason)
  const countsOf = (groups: Map<string, readonly unknown[]>) => {
    return [...groups].map(([key, all]) => `${all.length} ${key}`).join(', ')
  }
  return `${entries.length} entries: ${countsOf(ends)}; ${messages.length} messages: ${countsOf(reasons)}`
}

/** Returns whether a person entered, the control group included. */
function hasEntered({ visits, in_control }: EntryRow): boolean {
  return in_control || Object.keys(visits).length > 0
}

function checkOrders(entries: readonly EntryRow[], { orders }: Requests): void {
  const byOrder = Map.groupBy(entries, ({ dispatch_id }) => dispatch_id)
  for (const [dispatch_id, people] of orders) {
    const entered = (byOrder.get(parseUuid(dispatch_id)!) ?? []).map(({ id }) => id)
    assert.equal(new Set(entered).size, entered.length, `order ${dispatch_id} makes nobody enter twice`)
    if (people)
      assert.deepEqual(entered.toSorted(), people.toSorted(), `order ${dispatch_id} makes each recipient enter once`)
  }
}

/** Checks that an entry ended once, and has one decision about its end unless there was no next step. */
function checkEnd({ entry_id, canvas, id, state, ended, in_control, reasons, visits, definition }: EntryRow): void {
  const whose = `${canvas} of ${id} (${entry_id})`
  assert.equal(state, 'ended', whose)
  assert.deepEqual(reasons ?? [], ended === 'completed' ? [] : [ended], whose)
  assert.equal(in_control, ended === 'control_group', whose)
  if (in_control || refusals.includes(ended)) assert.deepEqual(visits, {}, whose)
  for (const [step, visit] of Object.entries(visits)) assert.equal(visit, 1, `${whose} arrives at ${step} once`)
  for (const step of definition.steps) {
    if (step.type !== 'experiment' || !(step.id in visits)) continue
    const { next } = experimentPath(entry_id, step.id, step.paths)
    const goesOn = definition.steps.some((each) => each.id in visits && each.id > step.id)
    if (goesOn) assert.ok(next !== undefined && next in visits, `${whose} takes its own path at ${step.id}`)
  }
}

function checkAgain(entries: readonly EntryRow[]): void {
  const entered = entries.filter(hasEntered)
  for (const [key, own] of Map.groupBy(entered, ({ canvas, id }) => `${canvas} of ${id}`)) {
    assert.equal(new Set(own.map(({ in_control }) => in_control)).size, 1, `${key}: in the control group or not`)
    const { again } = own[0]!.definition.entry
    if (again === 'never') assert.equal(own.length, 1, `${key}: entered once`)
    if (typeof again !== 'object') continue
    const afterMs = Temporal.Duration.from(again.after).total('milliseconds')
    const times = own.map(({ entered_at }) => entered_at.getTime()).sort((a, b) => a - b)
    for (const [i, ms] of times.slice(1).entries()) {
      assert.ok(ms - times[i]! >= afterMs - apartMs, `${key}: ${ms - times[i]!} ms after the last time`)
    }
  }
}

function checkMessages(entries: readonly EntryRow[], messages: readonly MessageRow[], requests: Requests): void {
  const byEntry = new Map(entries.map((entry) => [entry.entry_id, entry]))
  const had = new Map<string, number>()
  const seen = new Set<string>()
  for (const message of messages) {
    const { cause, id, step, visit, state, reason, class: kind, planned_at, decided_at } = message
    const entry = byEntry.get(cause)!
    const whose = `${entry.canvas} ${step} of ${id} (${cause})`
    assert.deepEqual(message.reasons, [reason], `${whose} has one end: ${state}`)
    const key = `${cause} ${step} ${visit}`
    assert.ok(!seen.has(key), `${whose} is there once`)
    seen.add(key)
    const earliestMs = entry.entered_at.getTime() + waitedMs(entry, step)
    assert.ok(planned_at.getTime() >= earliestMs - apartMs, `${whose} is not before its time`)
    assert.ok(decided_at.getTime() >= planned_at.getTime() - apartMs, `${whose} is not sent before its time`)
    const plannedMs = planned_at.getTime()
    const isPaused = requests.pauses.some(({ canvas, fromMs, untilMs }) => {
      return canvas === entry.canvas && plannedMs > fromMs + apartMs && plannedMs < untilMs - apartMs
    })
    assert.ok(!isPaused, `${whose} is not begun while the canvas is paused`)
    if (kind !== 'marketing' || (state !== 'accepted' && state !== 'uncertain')) continue
    had.set(id, (had.get(id) ?? 0) + 1)
    const refusedMs = requests.unsubscribed.get(id) ?? Number.POSITIVE_INFINITY
    assert.ok(planned_at.getTime() < refusedMs + apartMs, `${whose} was unsubscribed`)
    const isQuiet = entry.definition.quiet_hours !== 'ignore' && requests.isQuiet(id)
    assert.ok(!isQuiet, `${whose} is not sent while it is quiet`)
  }
  for (const [id, count] of had) assert.ok(count <= requests.cap, `${id} got ${count}`)
}

/** Returns the shortest wait of an entry before a step. */
function waitedMs({ definition, visits }: EntryRow, before: string): number {
  const delays = definition.steps.filter((step) => step.type === 'delay' && step.id in visits && step.id < before)
  return delays.reduce((sum, step) => sum + lengthOf(step), 0)
}

function lengthOf(step: HurriedStep): number {
  return step.type === 'delay' ? Temporal.Duration.from(step.for).total('milliseconds') : 0
}

async function checkReceived(db: Db, entries: readonly EntryRow[]): Promise<void> {
  const rows = await db.query<{ canvas: string; id: string; entries: number }>(sql`
    select f.id as canvas, p.external_id as id, r.entries from received r
    join flow f using (flow_id) join profile p on p.bucket = r.bucket and p.profile_id = r.profile_id where r.entries > 0`)
  const entered = Map.groupBy(entries.filter(hasEntered), ({ canvas, id }) => `${canvas} ${id}`)
  const counted = rows.map((row) => `${row.canvas} ${row.id} ${row.entries}`).sort()
  assert.deepEqual(counted, [...entered].map(([key, own]) => `${key} ${own.length}`).sort())
}

/** Checks that attribute changes of steps are written once, unless a person left at the step itself. */
async function checkDone(db: Db, entries: readonly EntryRow[]): Promise<void> {
  const rows = await db.query<{ id: string; did: number }>(sql`
    select external_id as id, coalesce((custom ->> 'did')::int4, 0) as did from profile`)
  const byPerson = Map.groupBy(entries, ({ id }) => id)
  for (const { id, did } of rows) {
    const own = byPerson.get(id) ?? []
    const visited = own.flatMap((entry) =>
      entry.definition.steps.filter((step) => step.type === 'update_user' && step.id in entry.visits),
    )
    const doubtful = own.filter(({ ended, step, definition }) => {
      return ended !== 'completed' && definition.steps.find((each) => each.id === step)?.type === 'update_user'
    })
    const most = visited.length
    assert.ok(did <= most && did >= most - doubtful.length, `${id} was written to ${did} times instead of ${most}`)
  }
}

function checkMails(messages: readonly MessageRow[], servers: readonly MailServer[], requests: Requests): void {
  const seen = servers.flatMap((server) => server.seen)
  const headerOf = (content: string, name: string) => new RegExp(`^${name}:\\s*(.*?)\\r$`, 'im').exec(content)?.[1]
  const byId = Map.groupBy(seen, ({ content }) => headerOf(content, 'Message-ID'))
  const more = seen.length - byId.size
  assert.ok(more <= requests.kills * requests.connections, `${more} copies more after ${requests.kills} kills`)
  for (const same of byId.values()) {
    const isMarketing = headerOf(same[0]!.content, 'List-Unsubscribe') !== undefined
    if (isMarketing) assert.equal(same.length, 1, 'marketing mail arrives once')
  }
  const keyOf = (id: string, subject: string | null | undefined) => `${id} ${subject}`
  const arrived = Map.groupBy(byId.values(), ([first]) => {
    return keyOf(first!.to[0]!.split('@')[0]!, headerOf(first!.content, 'Subject'))
  })
  const tried = messages.filter(({ subject }) => subject !== null)
  const expected = Map.groupBy(tried, ({ id, subject }) => keyOf(id, subject))
  for (const key of arrived.keys()) assert.ok(expected.has(key), `${key} is known`)
  for (const [key, rows] of expected) {
    const least = rows.filter(({ state }) => state === 'accepted').length
    const count = arrived.get(key)?.length ?? 0
    assert.ok(count >= least && count <= rows.length, `${key}: ${count} mails, ${least} of ${rows.length} accepted`)
  }
}

function listEntries(db: Db): Promise<EntryRow[]> {
  return db.query<EntryRow>(sql`
    select e.entry_id, p.external_id as id, f.id as canvas, e.dispatch_id, v.definition, e.state, e.ended, e.in_control, e.step,
      e.visits, e.entered_at,
      (select array_agg(d.reason) from decision d
        where d.bucket = e.bucket and d.cause = e.entry_id and d.message_id is null and d.channel = '') as reasons
    from entry e join flow f using (flow_id) join flow_version v on v.flow_id = e.flow_id and v.version = e.version
    join profile p on p.bucket = e.bucket and p.profile_id = e.profile_id`)
}

function listMessages(db: Db): Promise<MessageRow[]> {
  return db.query<MessageRow>(sql`
    select m.cause, p.external_id as id, m.class, m.step, m.visit, m.state, m.reason, m.subject, m.planned_at, d.reasons, d.decided_at
    from message m join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id
    left join lateral (
      select array_agg(d.reason) as reasons, min(d.time) as decided_at from decision d
      where d.bucket = m.bucket and d.message_id = m.message_id) d on true`)
}
