import { int4Array, int8Array, textArray, timestampArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import type { Person } from '../identity/person.ts'
import type { EventType } from './event-types.ts'

/** The workspaces whose events are written: those with the setting, and those with a webhook. */
export const fedWorkspaces = sql`
      select w.workspace_id from workspace w where w.settings @> '{"feed": true}' union all select h.workspace_id from webhook h`

/** The columns that a select for `insertSelectedEvents` has, in this order. The key makes the id: one for each event that ever happens. */
const columns = sql`bucket, profile_id, workspace_id, subject_id, type, key, time, rank, merged_id, external_id, message_id, flow_id,
      address, details`

/**
 * Returns an insert of the events that `selected` has, as a part of the statement that writes what they report. Events of workspaces
 * without a feed are left out, and then nothing of them is computed. Optional columns may be `null` with their types.
 */
export function insertSelectedEvents(selected: Sql): Sql {
  return sql`
    insert into feed_event (bucket, profile_id, workspace_id, subject_id, type, event_id, time, rank, merged_id, external_id, message_id,
      flow_id, address, details)
    select o.bucket, o.profile_id, o.workspace_id, o.subject_id, o.type, md5(concat(o.type, ' ', o.key))::uuid, o.time, o.rank,
      o.merged_id, o.external_id, o.message_id, o.flow_id, o.address, o.details
    from (${selected}) o(${columns})
    where o.workspace_id in (${fedWorkspaces})
    order by o.bucket, o.profile_id on conflict do nothing`
}

/** An event to write. `stampUs`: epoch microseconds of business time. */
export type NewEvent = {
  readonly type: EventType
  readonly workspace_id: number
  /** The person that it is about. */
  readonly person: Person
  /** Distinguishes it from every other event of this type. */
  readonly key: string
  readonly stampUs: number
  /** The person that was merged into this one. */
  readonly mergedId?: string
  readonly externalId?: string | null
  readonly address?: string | null
  readonly details?: object
}

/**
 * Writes events, in the order of the list where their times are equal. Those of workspaces without a feed are left out. The deletion of a
 * person belongs to nobody, so that it stays when the rows of the person go.
 */
export async function insertEvents(tx: Tx, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return
  await tx.query(
    prepared(
      insertSelectedEvents(sql`
      select v.bucket, v.owner_id, v.workspace_id, v.subject_id, v.type, v.key, v.time, v.rank, nullif(v.merged_id, 0), v.external_id,
        null::int8, null::int4, v.address, v.details
      from unnest(
        ${int4Array(events.map(({ person }) => person.bucket))}::int4[],
        ${int8Array(events.map(({ type, person }) => (type === 'person.deleted' ? '0' : person.key)))}::int8[],
        ${int4Array(events.map(({ workspace_id }) => workspace_id))}::int4[],
        ${int8Array(events.map(({ person }) => person.key))}::int8[],
        ${textArray(events.map(({ type }) => type))}::text[], ${textArray(events.map(({ key }) => key))}::text[],
        ${timestampArray(events.map(({ stampUs }) => stampUs))}::timestamptz[],
        ${int4Array(events.map((_, i) => i))}::int4[], ${int8Array(events.map(({ mergedId }) => mergedId ?? '0'))}::int8[],
        ${textArray(events.map(({ externalId }) => externalId ?? null))}::text[],
        ${textArray(events.map(({ address }) => address ?? null))}::text[],
        ${textArray(events.map(({ details }) => (details === undefined ? null : JSON.stringify(details))))}::text[])
        v(bucket, owner_id, workspace_id, subject_id, type, key, time, rank, merged_id, external_id, address, details)`),
    ),
  )
}
