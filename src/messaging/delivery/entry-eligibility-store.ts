import { int4Array, int8Array, textArray } from '../../base/db/arrays.ts'
import { byShardNumbered, withinPart } from '../../base/db/by-shard.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, sql } from '../../base/db/sql.ts'
import type { MessageFile } from '../channels/channel.ts'
import type { FlowKind, FlowState } from '../flows/flow.ts'
import type { EntryMessage } from '../messages/message.ts'
import type { Properties } from '../orders/sending.ts'

/** The states of the entry and the flow of a message. `n` is the number of the given message, from 1. */
export type EntryEligibilityRow = {
  readonly n: number
  readonly entry_state: string | null
  readonly ended: string | null
  readonly dispatch_id: string | null
  readonly variant: string | null
  readonly properties: Properties | null
  readonly event: Properties | null
  /** Files that the order of the entry adds to the message. */
  readonly attachments: readonly MessageFile[] | null
  readonly kind: FlowKind
  readonly id: string
  readonly name: string
  readonly flow_state: FlowState | null
  readonly time_zone: string | null
}

type EntryOfMessage = Pick<EntryMessage, 'bucket' | 'profile_id' | 'cause' | 'flow_id'>

/** Reads the entries and flows of messages as of now, without locks. */
export function listEntryEligibility(
  tx: Tx,
  messages: readonly EntryOfMessage[],
  withProperties: boolean,
): Promise<EntryEligibilityRow[]> {
  const content = withProperties
    ? sql`e.properties, e.event, o.sending #> '{flow,attachments}' as attachments`
    : sql`null as properties, null as event, null as attachments`
  const order = withProperties ? sql`left join dispatch o on o.dispatch_id = e.dispatch_id` : sql``
  return byShardNumbered<EntryEligibilityRow, EntryOfMessage>(tx, messages, (part) =>
    prepared(sql`
    select w.n::int as n, e.state as entry_state, e.ended, e.dispatch_id, e.variant, ${content}, f.kind, f.id, f.name,
      case when f.deleted_at is null then f.state end as flow_state, p.time_zone
    from unnest(
      ${int4Array(part.items.map(({ bucket }) => bucket))}::int4[],
      ${int8Array(part.items.map(({ profile_id }) => profile_id))}::int8[],
      ${textArray(part.items.map(({ cause }) => cause))}::text[], ${int4Array(part.items.map(({ flow_id }) => flow_id))}::int4[])
      with ordinality w(bucket, profile_id, cause, flow_id, n)
    join flow f on f.flow_id = w.flow_id
    left join entry e on e.bucket = w.bucket and e.entry_id = w.cause::uuid ${withinPart(part, 'e')}
    ${order}
    left join profile p on p.bucket = w.bucket and p.profile_id = w.profile_id ${withinPart(part, 'p')}`),
  )
}
