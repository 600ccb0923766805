import { textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { bucketOfId, type Person, person } from '../../people/identity/person.ts'
import type { MessageClass } from '../messages/message.ts'
import { everyoneZone, type PlannedSlot, type Schedule } from './schedule.ts'
import type { Sending } from './sending.ts'

export type SlotState = 'waiting' | 'held' | 'running' | 'done' | 'cancelled' | 'missed'
export type SlotReason = 'local_time_passed' | 'missed'

export async function insertSlots(
  tx: Tx,
  { dispatch_id, workspace_id, class: kind }: { dispatch_id: string; workspace_id: number; class: MessageClass },
  state: 'waiting' | 'held',
  slots: readonly PlannedSlot[],
): Promise<void> {
  await tx.query(
    prepared(sql`
    insert into dispatch_slot (dispatch_id, workspace_id, class, state, zone, due_at, reason)
    select ${dispatch_id}::uuid, ${workspace_id}::int4, ${kind}, ${state}, v.zone, v.due_at, v.reason
    from unnest(${textArray(slots.map(({ zone }) => zone))}::text[],
      ${timestampArray(slots.map(({ dueMs }) => dueMs * 1000))}::timestamptz[],
      ${textArray(slots.map(({ reason }) => reason ?? null))}::text[]) v(zone, due_at, reason)`),
  )
}

/** Locks the slots of an order. `began`: some of its people were found. */
export function lockSlots(tx: Tx, dispatch_id: string): Promise<{ zone: string; state: SlotState; began: boolean }[]> {
  return tx.query(sql`
    select zone, state, after_id is not null as began from dispatch_slot
    where dispatch_id = ${dispatch_id}::uuid order by zone for update`)
}

export async function deleteSlots(tx: Tx, dispatch_id: string): Promise<void> {
  await tx.query(sql`delete from dispatch_slot where dispatch_id = ${dispatch_id}::uuid`)
}

/** Moves the open slots of an order to another state. A worker that has a lease of one loses it. */
export async function moveSlots(tx: Tx, dispatch_id: string, state: 'held' | 'waiting' | 'cancelled'): Promise<void> {
  await tx.query(sql`
    update dispatch_slot set state = ${state}, lease = null, leased_until = null, attempts = 0,
      after_id = case when ${state} = 'cancelled' then 0 * after_id else after_id end
    where dispatch_id = ${dispatch_id}::uuid and state in ('waiting', 'held', 'running')`)
}

/** A slot that a worker has claimed. Its writes name the lease. */
export type ClaimedSlot = {
  readonly dispatch_id: string
  readonly zone: string
  readonly workspace_id: number
  readonly lease: string
  readonly attempts: number
  readonly dueMs: number
  readonly reason: SlotReason | null
  /** The cursor: the next page begins after this person. */
  readonly after: Person | undefined
  readonly class: MessageClass
  readonly sending: Sending
  /** Null for an order that was due at once. */
  readonly schedule: Schedule | null
  readonly createdMs: number
  readonly resumedMs: number | undefined
}

type ClaimedRow = Pick<
  ClaimedSlot,
  'dispatch_id' | 'zone' | 'workspace_id' | 'attempts' | 'reason' | 'class' | 'sending' | 'schedule'
> & {
  due_at: Date
  created_at: Date
  resumed_at: Date | null
  after_id: string | null
}

const claimedColumns = sql`t.dispatch_id, t.zone, t.workspace_id, t.attempts, t.reason, t.due_at, t.after_id, d.class, d.sending,
      d.schedule, d.created_at, d.resumed_at`

/** Which slots of a class are claimed first: those that have not begun, or those that have. */
export type ClaimFirst = 'new' | 'begun'

/** Other workers may have claimed the first of them. */
const candidatesMax = 20

/** Whether a slot waits, its time has come, and nobody has it. */
function isDue(nowMs: number, elapsedMs: number): Sql {
  return sql`state = 'waiting' and due_at <= ${timestampFromMs(nowMs)}
    and (leased_until is null or leased_until <= ${timestampFromMs(elapsedMs)})`
}

/** Some slots of each kind that may be claimed, by `rank`. Each kind is a step in an index. */
function candidates(turn: ClaimFirst, nowMs: number, elapsedMs: number): Sql {
  const due = isDue(nowMs, elapsedMs)
  const first = sql`order by due_at limit ${candidatesMax}`
  const [fresh, begun] = turn === 'new' ? [0, 1] : [1, 0]
  return sql`
    (select dispatch_id, zone, due_at, ${fresh}::int4 as rank from dispatch_slot
      where class = 'transactional' and after_id is null and ${due} ${first})
    union all
    (select dispatch_id, zone, due_at, ${begun}::int4 from dispatch_slot
      where class = 'transactional' and after_id is not null and ${due} ${first})
    union all
    (select dispatch_id, zone, due_at, 2 from dispatch_slot
      where state = 'running' and leased_until <= ${timestampFromMs(elapsedMs)} order by leased_until limit ${candidatesMax})
    union all
    (select dispatch_id, zone, due_at, ${3 + fresh}::int4 from dispatch_slot
      where class = 'marketing' and after_id is null and ${due} ${first})
    union all
    (select dispatch_id, zone, due_at, ${3 + begun}::int4 from dispatch_slot
      where class = 'marketing' and after_id is not null and ${due} ${first})`
}

/** Has a row when a slot may be claimed, or an order is unsettled. `nowMs` is business time, `elapsedMs` machine time. */
export function expansionProbe(nowMs: number, elapsedMs: number): Sql {
  return sql`
    select 1 from dispatch where unsettled
    union all select 1 from dispatch_slot where class in ('transactional', 'marketing') and ${isDue(nowMs, elapsedMs)}
    union all select 1 from dispatch_slot where state = 'running' and leased_until <= ${timestampFromMs(elapsedMs)}`
}

/**
 * Claims a slot that is due, or whose lease has ended; transactional ones first. Returns undefined when there is none. The lease lasts
 * until `untilMs`. `nowMs` is business time, the others are machine time.
 */
export async function claimSlot(
  tx: Tx,
  lease: string,
  turn: ClaimFirst,
  { nowMs, elapsedMs, untilMs }: { readonly nowMs: number; readonly elapsedMs: number; readonly untilMs: number },
): Promise<ClaimedSlot | undefined> {
  const [row] = await tx.query<ClaimedRow>(
    prepared(sql`
    with o as materialized (
      select s.dispatch_id, s.zone
      from (${candidates(turn, nowMs, elapsedMs)}) c join dispatch_slot s on s.dispatch_id = c.dispatch_id and s.zone = c.zone
      where (s.state = 'waiting' or (s.state = 'running' and s.leased_until <= ${timestampFromMs(elapsedMs)}))
      order by c.rank, c.due_at, s.dispatch_id, s.zone limit 1 for update of s skip locked)
    update dispatch_slot t set state = 'running', lease = ${lease}::uuid, leased_until = ${timestampFromMs(untilMs)},
      attempts = t.attempts + 1
    from o join dispatch d on d.dispatch_id = o.dispatch_id
    where t.dispatch_id = o.dispatch_id and t.zone = o.zone
    returning ${claimedColumns}`),
  )
  return row && claimedFromRow(row, lease)
}

/** Claims the slot of an order that is due for everybody at once, in the transaction that has inserted it. */
export async function claimSlotOf(tx: Tx, dispatch_id: string, lease: string, untilMs: number): Promise<ClaimedSlot> {
  const [row] = await tx.query<ClaimedRow>(sql`
    update dispatch_slot t set state = 'running', lease = ${lease}::uuid, leased_until = ${timestampFromMs(untilMs)},
      attempts = t.attempts + 1
    from dispatch d where t.dispatch_id = ${dispatch_id}::uuid and t.zone = ${everyoneZone} and d.dispatch_id = t.dispatch_id
    returning ${claimedColumns}`)
  return claimedFromRow(row!, lease)
}

function claimedFromRow(
  { due_at, created_at, resumed_at, after_id, ...claimed }: ClaimedRow,
  lease: string,
): ClaimedSlot {
  return {
    ...claimed,
    lease,
    dueMs: due_at.getTime(),
    createdMs: created_at.getTime(),
    resumedMs: resumed_at?.getTime(),
    after: after_id === null ? undefined : person(bucketOfId(after_id), after_id),
  }
}

/** Renews a lease. Returns false when the lease is lost: another worker has it, or the order was paused or cancelled. */
export async function renewSlotLease(
  tx: Tx,
  { dispatch_id, zone, lease }: ClaimedSlot,
  untilMs: number,
): Promise<boolean> {
  const rows = await tx.query(
    prepared(sql`
    update dispatch_slot set leased_until = ${timestampFromMs(untilMs)}
    where dispatch_id = ${dispatch_id}::uuid and zone = ${zone} and state = 'running' and lease = ${lease}::uuid returning 1`),
  )
  return rows.length > 0
}

/** The result of a page: the number of people `found`, the last of them (`after`), and the number of `unknown` identifiers. */
export type SlotProgress = { readonly after: Person | undefined; readonly found: number; readonly unknown: number }

/** Moves the cursor of a claimed slot. Returns false when the lease is lost; nothing else may be written then. */
export async function advanceSlot(
  tx: Tx,
  claimed: ClaimedSlot,
  { after, found, unknown }: SlotProgress,
): Promise<boolean> {
  const { dispatch_id, zone, lease, reason } = claimed
  const rows = await tx.query(
    prepared(sql`
    update dispatch_slot set after_id = coalesce(${after?.profile_id ?? null}::int8, after_id), expanded = expanded + ${found}::int4,
      unknown = unknown + ${unknown}::int4, attempts = 0, reason = ${reason}
    where dispatch_id = ${dispatch_id}::uuid and zone = ${zone} and state = 'running' and lease = ${lease}::uuid returning 1`),
  )
  return rows.length > 0
}

const noProgress: SlotProgress = { after: undefined, found: 0, unknown: 0 }

/** Ends a claimed slot after its last page, or with a failure. Returns false when the lease is lost. */
export async function endSlot(
  tx: Tx,
  claimed: ClaimedSlot,
  failure: string | null,
  { found, unknown }: SlotProgress = noProgress,
): Promise<boolean> {
  const { dispatch_id, zone, lease, reason } = claimed
  const state = reason === 'missed' ? 'missed' : 'done'
  const rows = await tx.query(
    prepared(sql`
    update dispatch_slot set state = ${state}, reason = ${reason}, lease = null, leased_until = null, failure = ${failure},
      after_id = null, expanded = expanded + ${found}::int4, unknown = unknown + ${unknown}::int4
    where dispatch_id = ${dispatch_id}::uuid and zone = ${zone} and state = 'running' and lease = ${lease}::uuid returning 1`),
  )
  return rows.length > 0
}

/** Adds to the found people of a slot that the transaction has locked. */
export async function addFound(tx: Tx, { dispatch_id, zone }: ClaimedSlot, found: number): Promise<void> {
  await tx.query(
    prepared(sql`
    update dispatch_slot set expanded = expanded + ${found}::int4 where dispatch_id = ${dispatch_id}::uuid and zone = ${zone}`),
  )
}

/** Gives a claimed slot back: for any worker at once, or not before `untilMs`. */
export async function releaseSlot(
  tx: Tx,
  claimed: ClaimedSlot,
  attempts: number,
  untilMs: number | null,
): Promise<void> {
  const { dispatch_id, zone, lease } = claimed
  const until = untilMs === null ? sql`null` : timestampFromMs(untilMs)
  await tx.query(
    prepared(sql`
    update dispatch_slot set state = 'waiting', lease = null, leased_until = ${until}, attempts = ${attempts}
    where dispatch_id = ${dispatch_id}::uuid and zone = ${zone} and state = 'running' and lease = ${lease}::uuid`),
  )
}

/** Gives all claimed slots back. Only for a database that no other process works in. */
export async function releaseAllSlots(tx: Tx): Promise<void> {
  await tx.query(sql`
    update dispatch_slot set state = 'waiting', lease = null, leased_until = null where state = 'running'`)
}

export async function deleteSlot(tx: Tx, dispatch_id: string, zone: string): Promise<void> {
  await tx.query(sql`delete from dispatch_slot where dispatch_id = ${dispatch_id}::uuid and zone = ${zone}`)
}

/** Counts the schedules of a workspace that wait, up to `countMax`. */
export async function countWaitingSchedules(tx: Tx, workspace_id: number, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from dispatch_slot s join dispatch d on d.dispatch_id = s.dispatch_id and d.schedule_id is not null
      where s.workspace_id = ${workspace_id} and s.state in ('waiting', 'held') and s.zone in ('', '*')
      limit ${countMax}) w`)
  return row!.count
}

/** Sets the cancelled future slots of an order to wait again. */
export async function reviveSlots(tx: Tx, dispatch_id: string, nowMs: number): Promise<void> {
  await tx.query(sql`
    update dispatch_slot set state = 'waiting', attempts = 0
    where dispatch_id = ${dispatch_id}::uuid and state = 'cancelled' and due_at >= ${timestampFromMs(nowMs)}`)
}

/** A slot of a local time in the future. */
export type ZoneSlot = {
  readonly dispatch_id: string
  readonly zone: string
  readonly workspace_id: number
  readonly schedule: Schedule
  readonly dueMs: number
}

/** Lists a page of the slots of local times that are due after `nowMs` and have not begun, ordered by key. */
export async function listZoneSlots(
  tx: Tx,
  nowMs: number,
  after: Pick<ZoneSlot, 'dispatch_id' | 'zone'> | undefined,
  limit: number,
): Promise<ZoneSlot[]> {
  const page = after ? sql`and (s.dispatch_id, s.zone) > (${after.dispatch_id}::uuid, ${after.zone})` : sql``
  const rows = await tx.query<Omit<ZoneSlot, 'dueMs'> & { due_at: Date }>(sql`
    select s.dispatch_id, s.zone, s.workspace_id, s.due_at, d.schedule
    from dispatch_slot s join dispatch d on d.dispatch_id = s.dispatch_id
    where s.state in ('waiting', 'held') and s.reason is null and s.after_id is null and s.due_at > ${timestampFromMs(nowMs)}
      and (d.schedule @> '{"in_local_time": true}' or d.schedule @> '{"at_optimal_time": true}') ${page}
    order by s.dispatch_id, s.zone limit ${limit}`)
  return rows.map(({ due_at, ...slot }) => ({ ...slot, dueMs: due_at.getTime() }))
}

/** Moves the due times of slots that still have the one they were listed with. */
export async function moveSlotDues(tx: Tx, moves: readonly { slot: ZoneSlot; dueMs: number }[]): Promise<void> {
  if (moves.length === 0) return
  await tx.query(
    prepared(sql`
    update dispatch_slot s set due_at = w.due_at
    from unnest(${textArray(moves.map(({ slot }) => slot.dispatch_id))}::text[], ${textArray(moves.map(({ slot }) => slot.zone))}::text[],
      ${timestampArray(moves.map(({ slot }) => slot.dueMs * 1000))}::timestamptz[],
      ${timestampArray(moves.map(({ dueMs }) => dueMs * 1000))}::timestamptz[]) w(dispatch_id, zone, before, due_at)
    where s.dispatch_id = w.dispatch_id::uuid and s.zone = w.zone and s.due_at = w.before and s.state in ('waiting', 'held')`),
  )
}
