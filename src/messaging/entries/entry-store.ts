import { boolArray, int4Array, int8Array, jsonbArray, textArray, timestampArray } from '../../base/db/arrays.ts'
import { byShard, onEveryShard, untilFull, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import { distinctLanes, sharesLeft } from '../messages/fair-shares.ts'
import type { Lane } from '../messages/message.ts'
import type { Entry } from './entry.ts'
import type { Arrived } from './trail.ts'

/** An entry with the columns that only its row has. Times are epoch milliseconds of business time. */
export type StoredEntry = Entry & {
  readonly inControl: boolean
  /** Whether the entry waits for the message of a step that has no next step. */
  readonly isLast: boolean
  readonly timing: object | null
  readonly endedMs: number | null
  /** What is added to the trail. */
  readonly arrived: readonly Arrived[]
}

type EntryRow = Omit<Entry, 'dueMs' | 'enteredMs' | 'ended'> & {
  ended: Entry['ended'] | null
  due_at: Date | null
  entered_at: Date
}

/** The columns of `e` that make an `Entry`. */
export const entryColumns: Sql = sql`e.bucket, e.profile_id, e.entry_id, e.workspace_id, e.flow_id, e.version, e.class, e.dispatch_id,
      e.held, e.variant, e.properties, e.event, e.state, e.ended, e.step, e.visit, e.visits, e.due_at, e.entered_at`

export function entryFromRow({ due_at, entered_at, ended, ...row }: EntryRow): Entry {
  return { ...row, ...(ended !== null && { ended }), dueMs: due_at?.getTime(), enteredMs: entered_at.getTime() }
}

/** Entries that fall due in this span of business time. */
export type DueWindow = { readonly fromMs: number; readonly nowMs: number }

/** Has a row when an entry is due. */
export function dueEntryProbe(nowMs: number): Sql {
  return sql`
    select 1 from workspace w cross join (values ('transactional'), ('marketing')) c(class)
    cross join lateral (
      select 1 from entry e where e.workspace_id = w.workspace_id and e.class = c.class
        and e.state in ('arriving', 'waiting', 'listening') and not e.held and e.due_at <= ${timestampFromMs(nowMs)}
      order by e.due_at limit 1) o`
}

/** Returns the lanes that have entries due, transactional ones first. Takes one step in the index for each lane. */
export async function listDueEntryLanes(tx: Tx, { fromMs, nowMs }: DueWindow): Promise<Lane[]> {
  const lanes = await onEveryShard<Lane>(tx, (part) =>
    prepared(sql`
    select w.workspace_id, c.class
    from workspace w cross join (values ('transactional', 1), ('marketing', 2)) c(class, rank)
    cross join lateral (
      select 1 from entry e where e.workspace_id = w.workspace_id and e.class = c.class
        and e.state in ('arriving', 'waiting', 'listening') and not e.held
        and e.due_at between ${timestampFromMs(fromMs)} and ${timestampFromMs(nowMs)} ${withinPart(part, 'e')}
      order by e.due_at limit 1) o
    order by c.rank, w.workspace_id`),
  )
  return tx.placement === undefined ? lanes : distinctLanes(lanes)
}

/**
 * Locks the entries that were due first, up to `count` in each lane. Skips rows that other transactions have locked, and entries of people
 * with unhandled signals, which may have happened before: `journeys/act-on-signals.ts`. There may be very many of those entries: `readMax`
 * limits how many of a lane are read.
 */
export async function lockDueEntries(
  tx: Tx,
  lanes: readonly (Lane & { readonly count: number })[],
  { fromMs, nowMs }: DueWindow,
  readMax?: number,
): Promise<Entry[]> {
  const due = sql`e.workspace_id = w.workspace_id and e.class = w.class and e.state in ('arriving', 'waiting', 'listening') and not e.held
        and e.due_at between ${timestampFromMs(fromMs)} and ${timestampFromMs(nowMs)}`
  const first = (part: ShardPart) => sql`(
        select e.bucket, e.entry_id, e.profile_id from entry e
        where ${due} ${withinPart(part, 'e')} order by e.due_at limit ${readMax ?? 0}::int4) c
      join entry e on e.bucket = c.bucket and e.entry_id = c.entry_id ${withinPart(part, 'e')}`
  const lock = (part: ShardPart, taken: readonly EntryRow[]) => {
    const left = sharesLeft(lanes, taken)
    const [from, candidate] = readMax === undefined ? [sql`entry e`, sql`e`] : [first(part), sql`c`]
    return prepared(sql`
    select o.* from unnest(
      ${int4Array(left.map(({ workspace_id }) => workspace_id))}::int4[], ${textArray(left.map((lane) => lane.class))}::text[],
      ${int4Array(left.map(({ count }) => count))}::int4[]) w(workspace_id, class, count)
    cross join lateral (
      select ${entryColumns} from ${from}
      where ${due}
        and not exists (
          select 1 from signal s
          where s.bucket = ${candidate}.bucket and s.profile_id = ${candidate}.profile_id and not s.failed ${withinPart(part, 's')})
        ${withinPart(part, 'e')}
      order by e.due_at limit w.count for update of e skip locked) o`)
  }
  const rows = await untilFull<EntryRow>(tx, lock, (taken) => sharesLeft(lanes, taken).length === 0)
  return rows.map(entryFromRow)
}

/** Locks these entries, except those that have ended, in the order of their keys. */
export async function lockEntries(
  tx: Tx,
  keys: readonly { readonly bucket: number; readonly entry_id: string }[],
): Promise<Entry[]> {
  if (keys.length === 0) return []
  const rows = await byShard<EntryRow, (typeof keys)[number]>(tx, keys, (part) =>
    prepared(sql`
    select ${entryColumns} from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[]) w(bucket, entry_id)
    join entry e on e.bucket = w.bucket and e.entry_id = w.entry_id::uuid and e.state <> 'ended'
    where true ${withinPart(part, 'e')} order by e.bucket, e.entry_id for update of e`),
  )
  return rows.map(entryFromRow)
}

/**
 * Returns the people who have an entry of this order in this flow, by `profile_id`. An order may have most of the table, so a plan must not
 * begin with it: the lateral join looks up each person by the index of their entries.
 */
export async function listPeopleWithEntry(
  tx: Tx,
  { dispatch_id, flow_id }: { readonly dispatch_id: string; readonly flow_id: number },
  people: readonly Person[],
): Promise<Set<string>> {
  const rows = await byShard<{ profile_id: string }, Person>(tx, people, (part) =>
    prepared(sql`
    select w.profile_id from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ key }) => key))}::int8[]) w(bucket, profile_id)
    cross join lateral (
      select 1 from entry e
      where e.bucket = w.bucket and e.profile_id = w.profile_id and e.flow_id = ${flow_id}::int4
        and e.dispatch_id is not distinct from ${dispatch_id}::uuid ${withinPart(part, 'e')}
      limit 1) e`),
  )
  return new Set(rows.map(({ profile_id }) => profile_id))
}

/** Inserts entries. Returns the ids of those that were inserted: a person has one entry of an order. */
export async function insertEntries(tx: Tx, entries: readonly StoredEntry[]): Promise<Set<string>> {
  if (entries.length === 0) return new Set()
  const texts = (pick: (entry: StoredEntry) => string | null) => sql`${textArray(entries.map(pick))}::text[]`
  const ints = (pick: (entry: StoredEntry) => number) => sql`${int4Array(entries.map(pick))}::int4[]`
  const bools = (pick: (entry: StoredEntry) => boolean) => sql`${boolArray(entries.map(pick))}::bool[]`
  const objects = (pick: (entry: StoredEntry) => object | null) => {
    return sql`${jsonbArray(entries.map((entry) => jsonOf(pick(entry))))}::jsonb[]`
  }
  const rows = await tx.query<{ entry_id: string }>(
    prepared(sql`
    insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, dispatch_id, state, held, ended, variant,
      in_control, step, visit, visits, is_last, due_at, properties, event, timing, entered_at, ended_at, trail)
    select v.bucket, v.profile_id, v.entry_id::uuid, v.workspace_id, v.flow_id, v.version, v.class, v.dispatch_id::uuid, v.state, v.held,
      v.ended, v.variant, v.in_control, v.step, v.visit, v.visits, v.is_last, v.due_at, v.properties, v.event, v.timing, v.entered_at,
      v.ended_at, v.trail
    from unnest(${ints((each) => each.bucket)}, ${int8Array(entries.map((each) => each.profile_id))}::int8[],
      ${texts((each) => each.entry_id)}, ${ints((each) => each.workspace_id)}, ${ints((each) => each.flow_id)},
      ${ints((each) => each.version)}, ${texts((each) => each.class)}, ${texts((each) => each.dispatch_id)},
      ${texts((each) => each.state)}, ${bools((each) => each.held)}, ${texts((each) => each.ended ?? null)},
      ${texts((each) => each.variant)}, ${bools((each) => each.inControl)}, ${texts((each) => each.step)}, ${ints((each) => each.visit)},
      ${objects((each) => each.visits)}, ${bools((each) => each.isLast)}, ${instants(entries.map((each) => each.dueMs))},
      ${objects((each) => each.properties)}, ${objects((each) => each.event)}, ${objects((each) => each.timing)},
      ${instants(entries.map((each) => each.enteredMs))}, ${instants(entries.map((each) => each.endedMs))},
      ${objects((each) => each.arrived)})
      v(bucket, profile_id, entry_id, workspace_id, flow_id, version, class, dispatch_id, state, held, ended, variant, in_control, step,
        visit, visits, is_last, due_at, properties, event, timing, entered_at, ended_at, trail)
    order by v.bucket, v.profile_id
    on conflict do nothing returning entry_id`),
  )
  return new Set(rows.map(({ entry_id }) => entry_id))
}

/** Writes the position of entries, and adds to their trails. The rows are locked. */
export async function updateEntries(tx: Tx, entries: readonly StoredEntry[]): Promise<void> {
  if (entries.length === 0) return
  await byShard<unknown, StoredEntry>(tx, entries, (part) =>
    prepared(sql`
    update entry e set state = v.state, held = v.held, ended = v.ended, step = v.step, visit = v.visit, visits = v.visits,
      is_last = v.is_last, due_at = v.due_at, ended_at = v.ended_at, trail = e.trail || v.arrived
    from unnest(${int4Array(part.items.map((each) => each.bucket))}::int4[], ${textArray(part.items.map((each) => each.entry_id))}::text[],
      ${textArray(part.items.map((each) => each.state))}::text[], ${boolArray(part.items.map((each) => each.held))}::bool[],
      ${textArray(part.items.map((each) => each.ended ?? null))}::text[], ${textArray(part.items.map((each) => each.step))}::text[],
      ${int4Array(part.items.map((each) => each.visit))}::int4[],
      ${jsonbArray(part.items.map((each) => JSON.stringify(each.visits)))}::jsonb[],
      ${boolArray(part.items.map((each) => each.isLast))}::bool[], ${instants(part.items.map((each) => each.dueMs))},
      ${instants(part.items.map((each) => each.endedMs))}, ${jsonbArray(part.items.map((each) => JSON.stringify(each.arrived)))}::jsonb[])
      v(bucket, entry_id, state, held, ended, step, visit, visits, is_last, due_at, ended_at, arrived)
    where e.bucket = v.bucket and e.entry_id = v.entry_id::uuid ${withinPart(part, 'e')}`),
  )
}

/** Postpones entries to an instant of business time if they are still due: another worker may have moved them. */
export async function postponeEntries(
  tx: Tx,
  entries: readonly { readonly bucket: number; readonly entry_id: string }[],
  nowMs: number,
  untilMs: number,
): Promise<void> {
  await byShard<unknown, (typeof entries)[number]>(tx, entries, (part) =>
    prepared(sql`
    update entry e set due_at = ${timestampFromMs(untilMs)}
    from unnest(${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${textArray(part.items.map(({ entry_id }) => entry_id))}::text[]) v(bucket, entry_id)
    where e.bucket = v.bucket and e.entry_id = v.entry_id::uuid and e.due_at <= ${timestampFromMs(nowMs)} ${withinPart(part, 'e')}
      and e.state in ('arriving', 'waiting', 'listening')`),
  )
}

function instants(values: readonly (number | null | undefined)[]): Sql {
  return sql`${timestampArray(values.map((ms) => (ms === null || ms === undefined ? null : Math.round(ms * 1000))))}::timestamptz[]`
}

function jsonOf(value: object | null): string | null {
  return value === null ? null : JSON.stringify(value)
}
