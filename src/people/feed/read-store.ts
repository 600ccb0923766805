import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { EventType } from './event-types.ts'

/** An event with its position. Positions and ids are decimal texts. */
export type EventRow = {
  readonly position: string
  readonly event_id: string
  readonly type: EventType
  readonly time: Date
  readonly bucket: number
  /** '0' for the deletion of a person. */
  readonly profile_id: string
  readonly subject_id: string
  readonly merged_id: string | null
  readonly external_id: string | null
  readonly message_id: string | null
  readonly address: string | null
  readonly details: string | null
  readonly flow_kind: 'canvas' | 'campaign' | null
  readonly flow_id: string | null
  readonly flow_name: string | null
}

/** Positions that follow each other: after one, up to another. */
export type PositionSpan = { readonly after: bigint; readonly upTo: bigint }

/** Lists the events of a workspace in a span of positions, by position; of these types, or of all when the list is empty. */
export function listFeedEvents(
  tx: Tx,
  workspace_id: number,
  { after, upTo }: PositionSpan,
  types: readonly EventType[],
  limit: number,
): Promise<EventRow[]> {
  return tx.query<EventRow>(
    prepared(sql`
    select e.position, e.event_id, e.type, e.time, e.bucket, e.profile_id, e.subject_id, e.merged_id, e.external_id, e.message_id,
      e.address, e.details, f.kind as flow_kind, f.id as flow_id, f.name as flow_name
    from feed_event e left join flow f on f.flow_id = e.flow_id
    where e.workspace_id = ${workspace_id} and e.position > ${after.toString()}::int8 and e.position <= ${upTo.toString()}::int8
      and (${types.length === 0} or e.type = any(${textArray(types)}::text[]))
    order by e.position limit ${limit}`),
  )
}

/** Returns the position before the first event at or after a time (business time); undefined when all are earlier. */
export async function findPositionBefore(tx: Tx, workspace_id: number, fromMs: number): Promise<bigint | undefined> {
  const [row] = await tx.query<{ position: string | null }>(sql`
    select min(e.position) as position from feed_event e
    where e.workspace_id = ${workspace_id} and e.position is not null and e.time >= ${timestampFromMs(fromMs)}`)
  return row?.position ? BigInt(row.position) - 1n : undefined
}

/** Deletes events of a span of positions that happened before a time. Returns the highest of their positions. */
export async function deleteEventsBefore(
  tx: Tx,
  workspace_id: number,
  { after, upTo }: PositionSpan,
  beforeMs: number,
): Promise<bigint | undefined> {
  const rows = await tx.query<{ position: string }>(sql`
    delete from feed_event e
    where e.workspace_id = ${workspace_id} and e.position > ${after.toString()}::int8 and e.position <= ${upTo.toString()}::int8
      and e.time < ${timestampFromMs(beforeMs)} returning e.position`)
  return rows.length === 0
    ? undefined
    : rows.map(({ position }) => BigInt(position)).reduce((most, each) => (each > most ? each : most))
}

/** Stores that events up to a position are no longer kept. */
export async function raiseLostPosition(tx: Tx, workspace_id: number, position: bigint): Promise<void> {
  await tx.query(sql`
    update feed set lost_position = greatest(lost_position, ${position.toString()}::int8) where workspace_id = ${workspace_id}`)
}

/** Returns the position of the oldest event that is kept; undefined when there is none. */
export async function findFirstPosition(tx: Tx, workspace_id: number): Promise<bigint | undefined> {
  const [row] = await tx.query<{ position: string }>(sql`
    select e.position from feed_event e where e.workspace_id = ${workspace_id} and e.position is not null
    order by e.position limit 1`)
  return row && BigInt(row.position)
}
