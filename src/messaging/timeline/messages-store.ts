import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import type { Person } from '../../people/identity/person.ts'
import type { ExplainedEntryRow } from '../why/flow-explanation-store.ts'
import { micros } from './history-store.ts'
import type {
  ReturnRow,
  Span,
  TimelineEngagementRow,
  TimelineEntryRow,
  TimelineMessageRow,
  TimelineWorkRow,
} from './rows.ts'
import { mergedIdsMax } from './schema.ts'

// These tables have no parts: each query reads the rows of the person by an index, and sorts them.

const about = raw('m.bucket, m.message_id, m.cause, m.channel, m.step, m.flow_id, m.subject, m.address')

/** Lists messages that have not ended, by the time they were planned. */
export function listWaitingMessages(tx: Tx, person: Person, { untilUs, limit }: Span): Promise<TimelineMessageRow[]> {
  return tx.query<TimelineMessageRow>(sql`
    select ${micros('m.planned_at')} as us, ${about}, m.state, m.due_at, m.response from message m
    where m.bucket = ${person.bucket} and m.profile_id = ${person.profile_id}::int8 and m.planned_at < ${timestampFromUs(untilUs)}
      and m.state in ('queued', 'held', 'leased', 'handed_over')
    order by m.planned_at desc, m.message_id limit ${limit}`)
}

export function listPersonEngagements(
  tx: Tx,
  person: Person,
  { untilUs, limit }: Span,
): Promise<TimelineEngagementRow[]> {
  return tx.query<TimelineEngagementRow>(sql`
    select ${micros('e.first_at')} as us, ${about}, e.kind, m.links[e.link + 1] as url, e.count, e.last_at
    from engagement e join message m on m.bucket = e.bucket and m.message_id = e.message_id
    where e.bucket = ${person.bucket} and e.profile_id = ${person.profile_id}::int8 and e.first_at < ${timestampFromUs(untilUs)}
    order by e.first_at desc, e.message_id, e.kind, e.link limit ${limit}`)
}

/** Lists bounces and complaints. */
export function listReturns(tx: Tx, person: Person, { untilUs, limit }: Span): Promise<ReturnRow[]> {
  return tx.query<ReturnRow>(sql`
    select ${micros('r.at')} as us, ${about}, r.what, case when r.what = 'bounced' then m.response end as response
    from message m cross join lateral (values ('bounced', m.bounced_at), ('complained', m.complained_at)) r(what, at)
    where m.bucket = ${person.bucket} and m.profile_id = ${person.profile_id}::int8
      and (m.bounced_at is not null or m.complained_at is not null)
      and r.at < ${timestampFromUs(untilUs)}
    order by r.at desc, m.message_id, r.what limit ${limit}`)
}

/** Lists when entries began, and when they ended because there was no next step. Decisions have the other ends, and refusals. */
export function listEntryMoments(tx: Tx, person: Person, { untilUs, limit }: Span): Promise<TimelineEntryRow[]> {
  return tx.query<TimelineEntryRow>(sql`
    select ${micros('r.at')} as us, n.entry_id, n.dispatch_id, n.flow_id, n.version, r.what
    from entry n cross join lateral (values ('entered', n.entered_at), ('completed', n.ended_at)) r(what, at)
    where n.bucket = ${person.bucket} and n.profile_id = ${person.profile_id}::int8 and not (n.state = 'ended' and n.visit = 0)
      and (r.what = 'entered' or n.ended = 'completed') and r.at < ${timestampFromUs(untilUs)}
    order by r.at desc, n.entry_id, r.what limit ${limit}`)
}

/** Lists merges and identifications. `personHashes`: of the person and of those who were merged into them. */
export function listPersonWork(
  tx: Tx,
  personHashes: readonly string[],
  { untilUs, limit }: Span,
): Promise<TimelineWorkRow[]> {
  return tx.query<TimelineWorkRow>(sql`
    select ${micros('coalesce(w.finished_at, w.accepted_at)')} as us, w.request_id, w.kind, w.state, w.outcome
    from work w
    where w.person_hashes && ${textArray(personHashes)}::text[]
      and coalesce(w.finished_at, w.accepted_at) < ${timestampFromUs(untilUs)}
    order by coalesce(w.finished_at, w.accepted_at) desc, w.request_id, w.position limit ${limit}`)
}

/** Lists the ids of the people who were merged into a person. */
export async function listMergedIds(tx: Tx, person: Person): Promise<string[]> {
  const rows = await tx.query<{ from_id: string }>(sql`
    select a.from_id from merged_profile a where a.bucket = ${person.bucket} and a.profile_id = ${person.profile_id}::int8
    order by a.at desc limit ${mergedIdsMax}`)
  return rows.map(({ from_id }) => from_id)
}

export type PersonEntryRow = Pick<
  ExplainedEntryRow,
  | 'entry_id'
  | 'version'
  | 'state'
  | 'held'
  | 'ended'
  | 'variant'
  | 'step'
  | 'visit'
  | 'due_at'
  | 'entered_at'
  | 'ended_at'
> & { readonly flow_id: number }

/** Lists the entries of a person that have begun or still may: open ones first, then the newest. */
export function listEntriesOfPerson(tx: Tx, person: Person, limit: number): Promise<PersonEntryRow[]> {
  return tx.query<PersonEntryRow>(sql`
    select n.entry_id, n.flow_id, n.version, n.state, n.held, n.ended, n.variant, n.step, n.visit, n.due_at, n.entered_at, n.ended_at
    from entry n where n.bucket = ${person.bucket} and n.profile_id = ${person.profile_id}::int8
      and not (n.state = 'ended' and n.visit = 0)
    order by (n.state = 'ended'), n.entered_at desc, n.entry_id limit ${limit}`)
}

/** Returns when a mail was last sent to a person, as epoch milliseconds; undefined for never. */
export async function findLastMail(tx: Tx, person: Person): Promise<number | undefined> {
  const [row] = await tx.query<{ at: Date }>(sql`
    select r.at from last_received r where r.bucket = ${person.bucket} and r.profile_id = ${person.profile_id}::int8
      and r.channel = 'email'`)
  return row?.at.getTime()
}
