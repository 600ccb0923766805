import { int4Array } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { prepared, raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { Flow, FlowDefinition, FlowKind, FlowState } from './flow.ts'
import { openHeaders, sealHeaders } from './sealed-header-store.ts'

export type StoredFlow = Flow & {
  /** The state has changed, and the entries have not followed yet. */
  readonly unsettled: boolean
  readonly definition: FlowDefinition
}

/** A flow to write. `planned`: its schedule is planned again. */
export type WrittenFlow = Pick<Flow, 'id' | 'name' | 'description' | 'tags' | 'state' | 'class' | 'version'> & {
  readonly definition: FlowDefinition
  readonly planned: boolean
}

export type VersionRow = {
  readonly workspace_id: number
  readonly flow_id: number
  readonly version: number
  readonly kind: FlowKind
  readonly id: string
  readonly definition: FlowDefinition
  /** The size of the definition as text. */
  readonly bytes: number
}

const columns = raw(
  [
    ...['flow_id', 'workspace_id', 'kind', 'id', 'name', 'description', 'tags', 'state', 'class', 'version'],
    ...['created_at', 'updated_at', 'first_entry_at', 'last_entry_at', 'first_sent_at', 'last_sent_at'],
  ]
    .map((name) => `flow.${name}`)
    .join(', '),
)

export async function findFlowRow(tx: Tx, workspace_id: number, kind: FlowKind, id: string): Promise<Flow | undefined> {
  const [row] = await tx.query<Flow>(sql`
    select ${columns} from flow
    where workspace_id = ${workspace_id} and kind = ${kind} and id = ${id} and deleted_at is null`)
  return row
}

/** Says whether an editor has stored changes of a flow that are not published. */
export async function hasDraft(tx: Tx, { workspace_id, kind, id }: Flow): Promise<boolean> {
  const rows = await tx.query(
    sql`select 1 from flow_draft where workspace_id = ${workspace_id} and kind = ${kind} and id = ${id}`,
  )
  return rows.length > 0
}

/** Returns the flows of a kind, the oldest first. */
export function listFlowRows(tx: Tx, workspace_id: number, kind: FlowKind): Promise<Flow[]> {
  return tx.query<Flow>(sql`
    select ${columns} from flow where workspace_id = ${workspace_id} and kind = ${kind} and deleted_at is null
    order by created_at, flow_id`)
}

/** Returns the flows of a kind with their current definitions, the oldest first. */
export async function listStoredFlows(tx: Tx, workspace_id: number, kind: FlowKind): Promise<StoredFlow[]> {
  const stored = sql`${storedFlows(workspace_id, kind)} order by flow.created_at, flow.flow_id`
  return openHeaders(tx, await tx.query<StoredFlow>(stored))
}

export async function findStoredFlow(
  tx: Tx,
  workspace_id: number,
  kind: FlowKind,
  id: string,
): Promise<StoredFlow | undefined> {
  const stored = sql`${storedFlows(workspace_id, kind)} and flow.id = ${id}`
  const [row] = await openHeaders(tx, await tx.query<StoredFlow>(stored))
  return row
}

/** Returns a flow with its current definition, and locks it. */
export async function lockFlow(
  tx: Tx,
  workspace_id: number,
  kind: FlowKind,
  id: string,
): Promise<StoredFlow | undefined> {
  const stored = sql`${storedFlows(workspace_id, kind)} and flow.id = ${id} for update of flow`
  const [row] = await openHeaders(tx, await tx.query<StoredFlow>(stored))
  return row
}

function storedFlows(workspace_id: number, kind: FlowKind): Sql {
  return sql`
    select ${columns}, flow.unsettled, v.definition
    from flow join flow_version v on v.flow_id = flow.flow_id and v.version = flow.version
    where flow.workspace_id = ${workspace_id} and flow.kind = ${kind} and flow.deleted_at is null`
}

/**
 * Returns the states of flows, null for deleted ones, and locks them against changes until the transaction ends: a transaction that resumes
 * a flow then sees every entry and message that this one holds back.
 */
export async function lockFlows(tx: Tx, flow_ids: readonly number[]): Promise<Map<number, FlowState | null>> {
  const rows = await tx.query<{ flow_id: number; state: FlowState | null }>(
    prepared(sql`
    select flow.flow_id, case when flow.deleted_at is null then flow.state end as state
    from flow where flow.flow_id = any(${int4Array(flow_ids)}::int4[]) order by flow.flow_id for share of flow`),
  )
  return new Map(rows.map(({ flow_id, state }) => [flow_id, state]))
}

/** Returns flows, including deleted ones. */
export function listFlowsById(tx: Tx, flow_ids: readonly number[]): Promise<Flow[]> {
  return tx.query<Flow>(sql`select ${columns} from flow where flow_id = any(${int4Array(flow_ids)}::int[])`)
}

export async function listVersions(
  tx: Tx,
  versions: readonly { readonly flow_id: number; readonly version: number }[],
): Promise<VersionRow[]> {
  const flows = int4Array(versions.map(({ flow_id }) => flow_id))
  const numbers = int4Array(versions.map(({ version }) => version))
  const rows = await tx.query<VersionRow>(sql`
    select flow.workspace_id, v.flow_id, v.version, flow.kind, flow.id, v.definition,
      octet_length(v.definition::text) as bytes
    from unnest(${flows}::int[], ${numbers}::int[]) as wanted (flow_id, version)
    join flow_version v on v.flow_id = wanted.flow_id and v.version = wanted.version
    join flow on flow.flow_id = v.flow_id`)
  return openHeaders(tx, rows)
}

/** The `flow_id` and the version of a flow that was written. */
export type WrittenVersion = { readonly flow_id: number; readonly version: number }

/**
 * Inserts flows. Returns those that were written, by id. A deleted flow with the same id is restored, with the version after its last one,
 * unless it still has open entries: then nothing is written for this id.
 */
export async function insertFlows(
  tx: Tx,
  workspace_id: number,
  kind: FlowKind,
  flows: readonly WrittenFlow[],
  nowMs: number,
): Promise<Map<string, WrittenVersion>> {
  const sealed = await sealHeaders(
    tx,
    flows.map((flow) => ({ ...flow, workspace_id })),
  )
  const rows = await tx.query<WrittenVersion & { id: string }>(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(sealed)}::jsonb) as given
        (id text, name text, description text, tags text[], state text, class text, planned boolean, definition jsonb)
    ), written as (
      insert into flow (workspace_id, kind, id, name, description, tags, state, class, version, plan_at, created_at, updated_at)
      select ${workspace_id}::int, ${kind}::text, id, name, description, tags, state, class, 1,
        case when planned then ${timestampFromMs(nowMs)} end, ${timestampFromMs(nowMs)}, ${timestampFromMs(nowMs)}
      from given
      on conflict (workspace_id, kind, id) do update set name = excluded.name, description = excluded.description,
        tags = excluded.tags, state = excluded.state, class = excluded.class, version = flow.version + 1,
        plan_at = excluded.plan_at, updated_at = excluded.updated_at, deleted_at = null
      where flow.deleted_at is not null and not flow.unsettled
      returning flow_id, id, version
    ), versions as (
      insert into flow_version (flow_id, version, definition, created_at)
      select flow_id, version, definition, ${timestampFromMs(nowMs)} from written join given using (id)
    )
    select id, flow_id, version from written`)
  return new Map(rows.map(({ id, ...version }) => [id, version]))
}

/** Updates flows. Returns them by id. A new `version` is stored with its `definition`. */
export async function updateFlows(
  tx: Tx,
  workspace_id: number,
  kind: FlowKind,
  flows: readonly WrittenFlow[],
  nowMs: number,
): Promise<Map<string, WrittenVersion>> {
  const sealed = await sealHeaders(
    tx,
    flows.map((flow) => ({ ...flow, workspace_id })),
  )
  const rows = await tx.query<WrittenVersion & { id: string }>(sql`
    with given as (
      select * from jsonb_to_recordset(${JSON.stringify(sealed)}::jsonb) as given
        (id text, name text, description text, tags text[], state text, class text, version int, planned boolean,
        definition jsonb)
    ), written as (
      update flow set name = given.name, description = given.description, tags = given.tags, class = given.class,
        version = given.version, state = given.state, unsettled = flow.unsettled or flow.state <> given.state,
        -- a flow that loses its schedule is planned once more: this cancels its waiting orders
        plan_at = case when not given.planned then case when flow.plan_at is not null then ${timestampFromMs(nowMs)} end
          when flow.version = given.version and flow.state = given.state then flow.plan_at else ${timestampFromMs(nowMs)} end,
        updated_at = ${timestampFromMs(nowMs)}
      from given
      where flow.workspace_id = ${workspace_id} and flow.kind = ${kind} and flow.id = given.id
      returning flow.id, flow.flow_id, flow.version, given.definition
    ), versions as (
      insert into flow_version (flow_id, version, definition, created_at)
      select flow_id, version, definition, ${timestampFromMs(nowMs)} from written
      on conflict (flow_id, version) do nothing
    )
    select id, flow_id, version from written`)
  return new Map(rows.map(({ id, ...version }) => [id, version]))
}

/** Changes the state of a flow. `planned`: it has a schedule, which is planned from now on. */
export async function updateFlowState(
  tx: Tx,
  flow_id: number,
  state: FlowState,
  planned: boolean,
  nowMs: number,
): Promise<void> {
  await tx.query(sql`
    update flow set state = ${state}, unsettled = true, plan_at = case when ${planned} then ${timestampFromMs(nowMs)} end,
      updated_at = ${timestampFromMs(nowMs)}
    where flow_id = ${flow_id}`)
}

/** Marks a flow as deleted. Its row stays, because people have received messages of it. */
export async function markFlowDeleted(tx: Tx, flow_id: number, nowMs: number): Promise<void> {
  await tx.query(sql`
    update flow set deleted_at = ${timestampFromMs(nowMs)}, unsettled = unsettled or state <> 'archived', state = 'archived', plan_at = null
    where flow_id = ${flow_id}`)
}

/** Returns whether people are in a flow. */
export async function hasOpenEntries(tx: Tx, flow_id: number): Promise<boolean> {
  const [row] = await tx.query<{ open: boolean }>(sql`
    select exists (select 1 from entry where flow_id = ${flow_id} and state <> 'ended') as open`)
  return row!.open
}

/** Counts the people at each step of each version. */
export function countOpenEntries(
  tx: Tx,
  flow_id: number,
): Promise<{ version: number; step: string; people: number }[]> {
  return tx.query(sql`
    select version, step, count(*)::int as people from entry where flow_id = ${flow_id} and state <> 'ended'
    group by version, step order by version, step collate "C"`)
}
