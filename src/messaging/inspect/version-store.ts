import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'

export type VersionHeadRow = { readonly version: number; readonly created_at: Date }

/** Lists versions of a flow from `newest` down. */
export function listVersionHeads(tx: Tx, flow_id: number, newest: number, limit: number): Promise<VersionHeadRow[]> {
  return tx.query<VersionHeadRow>(sql`
    select version, created_at from flow_version where flow_id = ${flow_id} and version <= ${newest}
    order by version desc limit ${limit}`)
}

export type WriteRow = {
  readonly time: Date
  readonly actor_kind: string
  readonly actor_id: string
  readonly actor_name: string
  readonly members: readonly string[]
}

/** What was written of a flow, and of which members, between two times, the newest first. */
export function listWrites(
  tx: Tx,
  { workspace_id, kind, id }: { readonly workspace_id: number; readonly kind: string; readonly id: string },
  { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
  limit: number,
): Promise<WriteRow[]> {
  return tx.query<WriteRow>(sql`
    select time, actor_kind, actor_id, actor_name,
      array(select jsonb_object_keys(coalesce(after, '{}') || coalesce(before, '{}'))) as members
    from audit
    where target_kind = ${kind} and target_id = ${id} and workspace_id = ${workspace_id} and kind = 'change'
      and action in (${`${kind}.create`}, ${`${kind}.update`})
      and time >= ${timestampFromMs(fromMs)} and time < ${timestampFromMs(untilMs)}
    order by audit_id desc limit ${limit}`)
}
