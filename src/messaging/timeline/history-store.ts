import { textArray } from '../../base/db/arrays.ts'
import { withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromUs } from '../../base/db/timestamps.ts'
import { byHistorySource } from '../../people/history/history-store.ts'
import type { Person } from '../../people/identity/person.ts'
import { isHeld } from '../ledger/families.ts'
import { type Reason, reasons } from '../ledger/reasons.ts'
import type { HistoryRow, PurchaseRow, SessionRow, Span, TimelineDecisionRow } from './rows.ts'
import { detailCharactersMax, type TimelineKind } from './schema.ts'

const heldReasons = (Object.keys(reasons) as Reason[]).filter((reason) => isHeld(reason))

// These tables have a part for each week, so a span reads the parts of its weeks, each by the index of people.

/** SQL for a time as epoch microseconds. */
export function micros(column: string): Sql {
  return raw(`(extract(epoch from ${column}) * 1000000)::int8`)
}

export function listEvents(tx: Tx, person: Person, span: Span): Promise<HistoryRow[]> {
  return listHistory<HistoryRow>(tx, person, span, 'event', '')
}

export function listPurchases(tx: Tx, person: Person, span: Span): Promise<PurchaseRow[]> {
  return listHistory<PurchaseRow>(tx, person, span, 'purchase', ', e.price, e.quantity, e.currency')
}

async function listHistory<Row extends HistoryRow>(
  tx: Tx,
  person: Person,
  { fromUs, untilUs, limit }: Span,
  table: 'event' | 'purchase',
  columns: string,
): Promise<Row[]> {
  const rows = await byHistorySource<Row>(
    tx,
    [person],
    (sources, part) => sql`${sources}
    select h.* from sources s cross join lateral (
      select ${micros('e.time')} as us, e.name_id, left(e.properties, ${detailCharactersMax + 1}) as properties ${raw(columns)}
      from ${raw(table)} e where e.bucket = s.bucket and e.profile_id = s.profile_id
        and e.time >= ${timestampFromUs(fromUs)} and e.time < ${timestampFromUs(untilUs)} ${withinPart(part, 'e')}
      order by e.time desc limit ${limit}) h
    order by h.us desc, h.name_id, h.properties limit ${limit}`,
  )
  if (tx.placement === undefined) return rows
  // The order and the limit hold inside one shard only.
  return rows.sort((one, other) => Number(other.us) - Number(one.us) || one.name_id - other.name_id).slice(0, limit)
}

export function listSessions(tx: Tx, { bucket, profile_id }: Person, { untilUs, limit }: Span): Promise<SessionRow[]> {
  return tx.query<SessionRow>(sql`
    select ${micros('started_at')} as us, app_id from app_session
    where bucket = ${bucket} and profile_id = ${profile_id}::int8 and started_at < ${timestampFromUs(untilUs)}
    order by started_at desc, app_id, device_id limit ${limit}`)
}

/** Lists decisions with their messages: those of the kinds that are wanted (`kindOfDecision`). */
export async function listPersonDecisions(
  tx: Tx,
  { bucket, profile_id }: Person,
  { fromUs, untilUs, limit }: Span,
  kinds: ReadonlySet<TimelineKind>,
): Promise<TimelineDecisionRow[]> {
  const [decision, flow, message] = [kinds.has('decision'), kinds.has('flow'), kinds.has('message')]
  if (!decision && !flow && !message) return []
  return tx.query<TimelineDecisionRow>(sql`
    select ${micros('d.time')} as us, d.bucket, d.message_id, d.cause, d.channel, d.step, d.flow_id, d.reason, d.rule, m.subject, m.address
    from (
      select * from decision where bucket = ${bucket} and profile_id = ${profile_id}::int8
        and time >= ${timestampFromUs(fromUs)} and time < ${timestampFromUs(untilUs)}
        and case when channel = '' then (case when step = '' then ${decision}::boolean else ${flow}::boolean end)
          when reason = any(${textArray(heldReasons)}::text[]) then ${decision}::boolean else ${message}::boolean end
      order by time desc limit ${limit}) d
    left join message m on m.bucket = d.bucket and m.message_id = d.message_id
    order by d.time desc, d.message_id, d.cause, d.step`)
}
