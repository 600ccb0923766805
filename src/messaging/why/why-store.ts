import { int4Array, int8Array, jsonbArray, textArray } from '../../base/db/arrays.ts'
import { byShard, onEveryShard, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import type { ShardPart } from '../../base/db/placement.ts'
import { type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUsText } from '../../base/db/timestamps.ts'
import { type Person, person } from '../../people/identity/person.ts'
import type { Reason } from '../ledger/reasons.ts'
import type { MessageState } from '../messages/states.ts'
import { everyoneZone, leftoverZone, missedZone, noZone, type Schedule } from '../orders/schedule.ts'
import type { Sending } from '../orders/sending.ts'

/** An identifier that nobody had, as decisions have it. */
export type UnknownIdentifier = { readonly bucket: number; readonly asked: object }

/**
 * A query for decisions: by people and identifiers that nobody had (both may be empty), by an order, or by both. With `flow_id` only for
 * one flow.
 */
export type DecisionQuery = {
  readonly workspace_id: number
  readonly people: readonly Person[]
  readonly unknown: readonly UnknownIdentifier[]
  /** A UUID. */
  readonly dispatch_id: string | undefined
  /** UUIDs of entries that the order made. Decisions about them are about the order too. */
  readonly entry_ids?: readonly string[]
  readonly flow_id?: number | undefined
}

/** The cursor: `us` is the time of the last decision so far; `skip` decisions of that microsecond were on earlier pages. */
export type DecisionCursor = { readonly us: string; readonly skip: number }

export type ExplainedMessageRow = {
  message_id: string | null
  state: MessageState
  address: string | null
  subject: string | null
  links: string[] | null
  response: string | null
  warnings: string[] | null
  attempts: number
  planned_at: Date
  due_at: Date
  leased_until: Date | null
  ended_at: Date | null
  bounced_at: Date | null
  complained_at: Date | null
}

export type ExplainedDecisionRow = ExplainedMessageRow & {
  time: Date
  us: string
  bucket: number
  profile_id: string
  cause: string
  step: string
  visit: number
  flow_id: number | null
  channel: string
  reason: Reason
  asked: object | null
  rule: string | null
  inputs: unknown
}

export type OpenMessageRow = ExplainedMessageRow &
  Pick<ExplainedDecisionRow, 'bucket' | 'profile_id' | 'cause' | 'step' | 'visit' | 'flow_id' | 'channel'>

const messageColumns = sql`m.message_id, m.state, m.address, m.subject, m.links, m.response, m.warnings, m.attempts, m.planned_at,
      m.due_at, m.leased_until, m.ended_at, m.bounced_at, m.complained_at`

/** Lists decisions, newest first. */
export async function listDecisions(
  tx: Tx,
  wanted: DecisionQuery,
  after: DecisionCursor | undefined,
  limit: number,
): Promise<ExplainedDecisionRow[]> {
  const { workspace_id, people, unknown, dispatch_id } = wanted
  const rows = limit + (after?.skip ?? 0)
  const skip = after?.skip ?? 0
  const within = sql`${dispatch_id ? sql`and d.cause = any(${causes(wanted)})` : sql``}
      ${wanted.flow_id === undefined ? sql`` : sql`and d.flow_id = ${wanted.flow_id}`}
      ${after ? sql`and d.time <= ${timestampFromUsText(after.us)}` : sql``}`
  const chosen = (part: ShardPart<Lookup>): Sql =>
    people.length + unknown.length === 0
      ? sql`select d.* from decision d where d.workspace_id = ${workspace_id} ${within} ${withinPart(part, 'd')}
        order by d.time desc limit ${rows}`
      : sql`
      select f.* from ${lookupRows(part.items)} w(bucket, profile_id, asked)
      cross join lateral (
        select d.* from decision d
        where d.bucket = w.bucket and d.profile_id = w.profile_id and d.workspace_id = ${workspace_id}
          and (w.asked is null or d.asked @> w.asked) ${within} ${withinPart(part, 'd')}
        order by d.time desc limit ${rows}) f`
  const statement = (part: ShardPart<Lookup>, most: number, from: number): Sql => sql`
    select d.time, (extract(epoch from d.time) * 1000000)::int8 as us, d.bucket, d.profile_id, d.cause, d.step, d.visit,
      d.flow_id, d.channel, d.reason, d.asked, d.rule, d.inputs, ${messageColumns}
    from (${chosen(part)}) d left join message m on m.bucket = d.bucket and m.message_id = d.message_id ${withinPart(part, 'm')}
    order by d.time desc, d.profile_id, d.message_id, d.cause, d.asked limit ${most} offset ${from}`
  const lookups = [...people, ...unknown]
  if (tx.placement === undefined) return tx.query<ExplainedDecisionRow>(statement({ items: lookups }, limit, skip))
  // Each shard returns the first ones of all that are wanted or skipped.
  const found =
    lookups.length === 0
      ? await onEveryShard<ExplainedDecisionRow>(tx, (part) => statement(part, rows, 0))
      : await byShard<ExplainedDecisionRow, Lookup>(tx, lookups, (part) => statement(part, rows, 0))
  return found.sort(byTime).slice(skip, skip + limit)
}

type Lookup = Person | UnknownIdentifier

/** Orders decisions of several shards. Those of one shard are in their order already. */
function byTime(one: ExplainedDecisionRow, other: ExplainedDecisionRow): number {
  const [a, b] = [BigInt(one.us), BigInt(other.us)]
  if (a !== b) return a > b ? -1 : 1
  const [person, another] = [BigInt(one.profile_id), BigInt(other.profile_id)]
  return person < another ? -1 : person > another ? 1 : 0
}

function orderOfFlow(flow_id: number): Sql {
  return sql`select 1 from dispatch f where f.dispatch_id = d.dispatch_id and f.flow_id = ${flow_id}`
}

function causes({ dispatch_id, entry_ids = [] }: DecisionQuery): Sql {
  return sql`${textArray([dispatch_id!, ...entry_ids])}::text[]::uuid[]`
}

function lookupRows(lookups: readonly Lookup[]): Sql {
  return sql`unnest(
      ${int4Array(lookups.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(lookups.map((each) => ('key' in each ? each.key : 0n)))}::int8[],
      ${jsonbArray(lookups.map((each) => ('asked' in each ? JSON.stringify(each.asked) : null)))}::jsonb[])`
}

const openStates = sql`('queued', 'held', 'leased', 'handed_over')`

/** Lists messages that have not ended, in the order of their due time. */
export async function listOpenMessages(tx: Tx, wanted: DecisionQuery, limit: number): Promise<OpenMessageRow[]> {
  const { workspace_id, people, dispatch_id, flow_id } = wanted
  const columns = sql`m.bucket, m.profile_id, m.cause, m.step, m.visit, m.flow_id, m.channel, ${messageColumns}`
  if (people.length === 0) {
    return tx.query<OpenMessageRow>(sql`
      select ${columns} from message m
      where m.cause = any(${causes(wanted)}) and m.workspace_id = ${workspace_id} and m.state in ${openStates} limit ${limit}`)
  }
  return tx.query<OpenMessageRow>(sql`
    select ${columns} from ${lookupRows(people)} w(bucket, profile_id, asked)
    join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and m.workspace_id = ${workspace_id}
      and m.state in ${openStates} ${dispatch_id ? sql`and m.cause = any(${causes(wanted)})` : sql``}
      ${flow_id === undefined ? sql`` : sql`and m.flow_id = ${flow_id}`}
    order by m.due_at limit ${limit}`)
}

export type OpenSlotRow = {
  dispatch_id: string
  flow_id: number | null
  zone: string
  due_at: Date
  state: 'waiting' | 'held' | 'running'
}

/**
 * Lists open slots: of an order, or of orders that name one of these recipients. Of slots of time zones only those that the people belong
 * to now.
 */
export async function listOpenSlots(
  tx: Tx,
  { workspace_id, people, dispatch_id, flow_id }: DecisionQuery,
  asked: readonly object[],
  limit: number,
): Promise<OpenSlotRow[]> {
  const chosen = dispatch_id
    ? sql`select ${dispatch_id}::uuid as dispatch_id`
    : sql`
      select distinct d.dispatch_id from unnest(${jsonbArray(asked.map((each) => JSON.stringify([each])))}::jsonb[]) w(asked)
      join dispatch d on d.workspace_id = ${workspace_id} and d.sending -> 'recipients' @> w.asked`
  const unknown = people.length > 0 ? [] : [noZone]
  const within =
    asked.length === 0
      ? sql``
      : sql`
      and (s.zone = any(${textArray([everyoneZone, leftoverZone, missedZone, ...unknown])}::text[]) or s.zone in (
        select coalesce(p.time_zone, ${noZone}) from ${lookupRows(people)} w(bucket, profile_id, asked)
        join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id))`
  return tx.query<OpenSlotRow>(sql`
    select s.dispatch_id, s.zone, s.due_at, s.state,
      (select o.flow_id from dispatch o where o.dispatch_id = d.dispatch_id) as flow_id
    from (${chosen}) d
    join dispatch_slot s on s.dispatch_id = d.dispatch_id and s.workspace_id = ${workspace_id}
      ${flow_id === undefined ? sql`` : sql`and exists (${orderOfFlow(flow_id)})`}
      and s.state in ('waiting', 'held', 'running') ${within}
    order by s.due_at, s.zone limit ${limit}`)
}

export type ExplainedOrderRow = {
  dispatch_id: string
  schedule_id: string | null
  send_id: string | null
  class: string
  state: string
  created_at: Date
  schedule: Schedule | null
  sending: Omit<Sending, 'email'>
}

/** Finds orders, without their e-mail and recipients. */
export async function findExplainedOrders(
  tx: Tx,
  workspace_id: number,
  dispatch_ids: readonly string[],
): Promise<Map<string, ExplainedOrderRow>> {
  if (dispatch_ids.length === 0) return new Map()
  const rows = await tx.query<ExplainedOrderRow>(sql`
    select dispatch_id, schedule_id, send_id, class, state, created_at, schedule, sending - 'email' - 'recipients' as sending
    from dispatch
    where dispatch_id = any(${textArray(dispatch_ids)}::text[]::uuid[]) and workspace_id = ${workspace_id}`)
  return new Map(rows.map((row) => [row.dispatch_id, row]))
}

export type EngagementRow = {
  message_id: string
  kind: string
  link: number
  first_at: Date
  last_at: Date
  count: number
}

/** Lists the engagements with messages. */
export async function listEngagement(
  tx: Tx,
  messages: readonly { bucket: number; profile_id: string; message_id: string }[],
): Promise<EngagementRow[]> {
  if (messages.length === 0) return []
  return tx.query<EngagementRow>(sql`
    select e.message_id, e.kind, e.link, e.first_at, e.last_at, e.count
    from unnest(
      ${int4Array(messages.map(({ bucket }) => bucket))}::int4[], ${int8Array(messages.map(({ profile_id }) => profile_id))}::int8[],
      ${int8Array(messages.map(({ message_id }) => message_id))}::int8[]) w(bucket, profile_id, message_id)
    join engagement e on e.bucket = w.bucket and e.profile_id = w.profile_id and e.message_id = w.message_id
    order by e.first_at, e.kind, e.link`)
}

/** Returns the person that a profile was merged into, or itself. Undefined for an unknown profile. */
export async function findKeptPerson(
  tx: Tx,
  workspace_id: number,
  { bucket, profile_id }: Person,
): Promise<Person | undefined> {
  const [row] = await tx.query<{ bucket: number; profile_id: string }>(sql`
    select coalesce(merged_bucket, bucket) as bucket, coalesce(merged_into, profile_id) as profile_id from profile
    where bucket = ${bucket} and profile_id = ${profile_id}::int8 and workspace_id = ${workspace_id}`)
  return row && person(row.bucket, row.profile_id)
}
