import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { join, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUsText } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import type { Reason } from '../ledger/reasons.ts'
import { duplicateStepPrefix } from '../messages/duplicate-messages.ts'
import { type MessageClass, resendVisits } from '../messages/message.ts'
import type { MessageState } from '../messages/states.ts'

/** A page begins right after this message. */
export type MessageCursor = { readonly us: string; readonly message_id: string }

/** Which messages to list. An undefined member does not filter. */
export type MessageFilter = {
  readonly workspace_id: number
  readonly states: readonly MessageState[] | undefined
  readonly reasons: readonly Reason[] | undefined
  /** Only those about which nobody has decided. */
  readonly isUndecided: boolean
  readonly dispatch_id: string | undefined
  readonly flow_ids: readonly number[] | undefined
  readonly step: string | undefined
  /** An empty list matches nothing. */
  readonly people: readonly Person[] | undefined
  readonly address: string | undefined
  readonly fromMs: number | undefined
  readonly toMs: number | undefined
}

export type MessageRow = {
  message_id: string
  bucket: number
  profile_id: string
  cause: string
  step: string
  visit: number
  channel: string
  class: MessageClass
  state: MessageState
  reason: Reason | null
  attempts: number
  address: string | null
  subject: string | null
  links: string[] | null
  warnings: string[] | null
  response: string | null
  planned_at: Date
  planned_us: string
  due_at: Date
  leased_until: Date | null
  ended_at: Date | null
  bounced_at: Date | null
  complained_at: Date | null
  left_at: Date | null
  is_resent: boolean
  flow_id: number | null
  flow_version: number | null
  variant: string | null
  is_duplicate: boolean
  has_profile: boolean
  external_id: string | null
  first_name: string | null
  last_name: string | null
  email: string | null
}

/** Whether a message was sent again. */
const isResent = sql`exists (
      select 1 from message a where a.bucket = m.bucket and a.cause = m.cause and a.profile_id = m.profile_id and a.step = m.step
        and a.visit = m.visit + ${resendVisits}::int4 and a.channel = m.channel)`
/** After a merge the person has another mail of the dispatch. */
const isDuplicate = sql`m.step like ${`${duplicateStepPrefix}%`}`

const columns = sql`m.message_id, m.bucket, m.profile_id, m.cause, m.step, m.visit, m.channel, m.class, m.state, m.reason, m.attempts,
      m.address, m.subject, m.links, m.warnings, m.response, m.planned_at, m.due_at, m.leased_until, m.ended_at, m.bounced_at,
      m.complained_at, m.left_at, m.flow_id, m.flow_version, m.variant,
      (extract(epoch from m.planned_at) * 1000000)::int8 as planned_us, ${isDuplicate} as is_duplicate,
      case when m.state = 'uncertain' or m.reason = 'set_aside' then ${isResent} else false end as is_resent,
      p.profile_id is not null as has_profile, p.external_id, p.first_name, p.last_name, p.email`
const joinPerson = sql`left join profile p on p.bucket = m.bucket and p.profile_id = m.profile_id`
const newestFirst = sql`order by m.planned_at desc, m.message_id desc`

/** How messages are found before they are filtered. `walk`: back in time, through all of the workspace. */
export type Way = 'walk' | 'people' | 'uncertain' | 'order' | 'entries'

function conditionsOf(filter: MessageFilter, way: Way): Sql {
  const { states, reasons, isUndecided, dispatch_id, flow_ids, step, people, address } = filter
  return join(
    [
      sql`true`,
      ...(states ? [sql`m.state = any(${textArray(states)}::text[])`] : []),
      ...(reasons ? [sql`m.reason = any(${textArray(reasons)}::text[])`] : []),
      ...(isUndecided ? [sql`m.left_at is null and not (${isDuplicate}) and not ${isResent}`] : []),
      ...(dispatch_id && way !== 'order' && way !== 'entries' ? [ofOrder(dispatch_id)] : []),
      ...(flow_ids ? [sql`m.flow_id = any(${int4Array(flow_ids)}::int4[])`] : []),
      ...(step === undefined ? [] : [sql`m.step = ${step}`]),
      ...(people && way !== 'people' ? [sql`(m.bucket, m.profile_id) in (select * from ${peopleRows(people)} w)`] : []),
      ...(address === undefined ? [] : [sql`lower(m.address) = lower(${address})`]),
    ],
    ' and ',
  )
}

function ofOrder(dispatch_id: string): Sql {
  return sql`(m.cause = ${dispatch_id}::uuid or exists (
      select 1 from entry e where e.bucket = m.bucket and e.entry_id = m.cause and e.dispatch_id = ${dispatch_id}::uuid))`
}

function peopleRows(people: readonly Person[]): Sql {
  return sql`unnest(${int4Array(people.map(({ bucket }) => bucket))}::int4[], ${int8Array(people.map(({ key }) => key))}::int8[])`
}

/** The messages to look at: at most `max`, after the cursor and within the times. */
function candidates(filter: MessageFilter, way: Way, after: MessageCursor | undefined, max: number): Sql {
  const { workspace_id, people = [], dispatch_id, fromMs, toMs } = filter
  const within = sql`m.workspace_id = ${workspace_id}
        ${fromMs === undefined ? sql`` : sql`and m.planned_at >= ${timestampFromMs(fromMs)}`}
        ${toMs === undefined ? sql`` : sql`and m.planned_at < ${timestampFromMs(toMs)}`}
        ${after ? sql`and (m.planned_at, m.message_id) < (${timestampFromUsText(after.us)}, ${after.message_id}::int8)` : sql``}`
  switch (way) {
    case 'walk':
      return sql`select m.* from message m where ${within}
        order by m.workspace_id desc, m.planned_at desc, m.message_id desc limit ${max}`
    case 'people':
      return sql`select m.* from ${peopleRows(people)} w(bucket, profile_id)
        join message m on m.bucket = w.bucket and m.profile_id = w.profile_id and ${within} ${newestFirst} limit ${max}`
    case 'uncertain':
      // Two conditions, each with a small index of its own.
      return sql`select m.* from message m where m.state = 'uncertain' and ${within}
        union all select m.* from message m where m.reason = 'set_aside' and ${within} limit ${max}`
    case 'order':
      return sql`select m.* from message m where m.cause = ${dispatch_id}::uuid ${causeConditions(filter)} and ${within}
        limit ${max}`
    case 'entries':
      return sql`select m.* from entry e join message m on m.bucket = e.bucket and m.cause = e.entry_id
        where e.dispatch_id = ${dispatch_id}::uuid and ${within} limit ${max}`
  }
}

/** What the index of causes can look up beside the cause. */
function causeConditions({ states, reasons }: MessageFilter): Sql {
  return sql`${states ? sql`and m.state = any(${textArray(states)}::text[])` : sql``}
        ${reasons ? sql`and m.reason = any(${textArray(reasons)}::text[])` : sql``}`
}

/** Lists messages, newest first, of at most `lookedAt` ones. */
export function listMessageRows(
  tx: Tx,
  filter: MessageFilter,
  way: Way,
  after: MessageCursor | undefined,
  { limit, lookedAt }: { readonly limit: number; readonly lookedAt: number },
): Promise<MessageRow[]> {
  return tx.query<MessageRow>(sql`
    select ${columns} from (
      select m.* from (${candidates(filter, way, after, lookedAt)}) m where ${conditionsOf(filter, way)}
      ${newestFirst} limit ${limit}) m
    ${joinPerson} ${newestFirst}`)
}

/** Lists messages of the steps of an entry, newest first. */
export function listMessagesOfEntry(
  tx: Tx,
  { bucket, entry_id }: { readonly bucket: number; readonly entry_id: string },
  limit: number,
): Promise<MessageRow[]> {
  return tx.query<MessageRow>(sql`
    select ${columns} from (
      select m.* from message m where m.bucket = ${bucket} and m.cause = ${entry_id}::uuid ${newestFirst} limit ${limit}) m
    ${joinPerson} ${newestFirst}`)
}

/** Returns the last message that a walk of this length looks at; undefined when there are fewer. */
export async function findWalkEnd(
  tx: Tx,
  filter: MessageFilter,
  after: MessageCursor | undefined,
  lookedAt: number,
): Promise<MessageCursor | undefined> {
  const [row] = await tx.query<MessageCursor>(sql`
    select (extract(epoch from m.planned_at) * 1000000)::int8 as us, m.message_id
    from (${candidates(filter, 'walk', after, lookedAt)}) m ${newestFirst} limit 1 offset ${lookedAt - 1}`)
  return row
}

/** Counts the messages of a workspace that wait for a decision, among the first `max` that are uncertain or were set aside. */
export async function countUndecided(
  tx: Tx,
  workspace_id: number,
  max: number,
): Promise<{ uncertain: number; set_aside: number }> {
  const filter = { ...noFilter, workspace_id, isUndecided: true }
  const [row] = await tx.query<{ uncertain: number; set_aside: number }>(sql`
    select count(*) filter (where m.state = 'uncertain')::int4 as uncertain,
      count(*) filter (where m.state <> 'uncertain')::int4 as set_aside
    from (${candidates(filter, 'uncertain', undefined, max)}) m where ${conditionsOf(filter, 'uncertain')}`)
  return row!
}

const noFilter = {
  states: undefined,
  reasons: undefined,
  dispatch_id: undefined,
  flow_ids: undefined,
  step: undefined,
  people: undefined,
  address: undefined,
  fromMs: undefined,
  toMs: undefined,
} as const

/** Counts the messages of an order up to `max`: those in its states and for its reasons. */
export async function countOfOrder(tx: Tx, filter: MessageFilter, max: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from (
      select 1 from message m where m.cause = ${filter.dispatch_id}::uuid ${causeConditions(filter)} limit ${max}) w`)
  return row!.count
}

/** Counts the entries of an order up to `max`. */
export async function countEntriesOfOrder(tx: Tx, dispatch_id: string, max: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int4 as count from (select 1 from entry e where e.dispatch_id = ${dispatch_id}::uuid limit ${max}) w`)
  return row!.count
}

/** Finds a message by its id. The bucket is in the id, unless the person was merged into another one. */
export async function findMessageRow(
  tx: Tx,
  workspace_id: number,
  message_id: string,
  bucket: number,
): Promise<MessageRow | undefined> {
  const find = (buckets: Sql) =>
    tx.query<MessageRow>(sql`
    select ${columns} from ${buckets} b(bucket)
    join message m on m.bucket = b.bucket and m.message_id = ${message_id}::int8 and m.workspace_id = ${workspace_id}
    ${joinPerson}`)
  const [row] = await find(sql`(values (${bucket}::int4))`)
  return row ?? (await find(raw('generate_series(0, 4095)')))[0]
}
