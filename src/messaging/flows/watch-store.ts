import { textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import { raiseVersion } from '../../base/db/versions.ts'
import type { FlowDefinition, FlowKind, FlowState } from './flow.ts'
import { openHeaders } from './sealed-header-store.ts'

export type WatchingFlow = {
  readonly workspace_id: number
  readonly id: string
  readonly kind: FlowKind
  readonly state: FlowState
  readonly last_sent_at: Date | null
  readonly definition: FlowDefinition
}

export type WatchedName = { readonly kind: string; readonly name: string; readonly signals: boolean }

/**
 * Returns the current versions of the flows of a workspace, and older versions that still have open entries. An entry of a version that is
 * being replaced may not be committed yet, so a version that was replaced after `sinceMs` is returned too.
 */
export async function listWatchingFlows(tx: Tx, workspace_id: number, sinceMs: number): Promise<WatchingFlow[]> {
  const rows = await tx.query<WatchingFlow>(sql`
    select flow.workspace_id, flow.id, flow.kind, flow.state, flow.last_sent_at, v.definition
    from flow join flow_version v on v.flow_id = flow.flow_id
    where flow.workspace_id = ${workspace_id} and flow.state <> 'draft' and (v.version = flow.version or exists (
      select 1 from flow_version n where n.flow_id = v.flow_id and n.version = v.version + 1 and n.created_at > ${timestampFromMs(sinceMs)}
    ) or exists (
      select 1 from entry where entry.flow_id = v.flow_id and entry.held = any('{false,true}'::boolean[])
        and entry.version = v.version and entry.state <> 'ended'))`)
  return openHeaders(tx, rows)
}

/** Replaces the watched names of a workspace. Raises the version in any case: other flows may watch the same names. */
export async function replaceWatched(
  tx: Tx,
  workspace_id: number,
  rows: readonly WatchedName[],
  nowMs: number,
): Promise<void> {
  const kinds = textArray(rows.map(({ kind }) => kind))
  const names = textArray(rows.map(({ name }) => name))
  const signals = textArray(rows.map((row) => String(row.signals)))
  const given = sql`
    (select kind, name, signals::boolean
    from unnest(${kinds}::text[], ${names}::text[], ${signals}::text[]) as u (kind, name, signals)) as given`
  await tx.query(sql`
    delete from watched where workspace_id = ${workspace_id}::int
      and not exists (select 1 from ${given} where given.kind = watched.kind and given.name = watched.name)`)
  await tx.query(sql`
    insert into watched as w (workspace_id, kind, name, signals, since)
    select ${workspace_id}::int, kind, name, signals, ${timestampFromMs(nowMs)} from ${given}
    on conflict (workspace_id, kind, name) do update set signals = excluded.signals where w.signals <> excluded.signals`)
  await raiseVersion(tx, 'watched')
}
