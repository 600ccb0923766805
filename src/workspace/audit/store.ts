import type { Actor } from '../../base/call.ts'
import { int8Array, textArray } from '../../base/db/arrays.ts'
import type { Tx } from '../../base/db/db.ts'
import { raw, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs } from '../../base/db/timestamps.ts'
import type { AuditKind } from './kinds.ts'
import { textsOf } from './text-store.ts'

export type NewAuditRow = {
  workspace_id: number | null
  action: string
  target_kind: string
  target_id: string
  target_name: string | null
  before: object | null
  after: object | null
}

export type AuditSource = { kind: string; id: string; name: string; ip: string; request_id: string }

/** Inserts rows of changes, in the transaction of the write. */
export async function insertAuditRows(
  tx: Tx,
  by: AuditSource,
  rows: readonly NewAuditRow[],
  nowMs: number,
): Promise<void> {
  await tx.query(sql`
    with written as (
    insert into audit (time, workspace_id, actor_kind, actor_id, actor_name, ip, request_id,
      action, target_kind, target_id, target_name, before, after)
    select ${timestampFromMs(nowMs)}, workspace_id, ${by.kind}::text, ${by.id}::text, ${by.name}::text, ${by.ip}::text,
      ${by.request_id}::text,
      action, target_kind, target_id, target_name, before, after
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (workspace_id int, action text, target_kind text, target_id text, target_name text, before jsonb, after jsonb)
    returning audit_id, workspace_id, target_kind, before, after)
    insert into audit_text (text, audit_id, workspace_id) ${textsOf(raw('written'))}`)
}

/** A row about requests that changed nothing. */
export type ObservedRow = {
  kind: 'access' | 'refusal'
  actor_kind: string
  actor_id: string
  actor_name: string
  ip: string
  request_id: string
  action: string
  target_kind: string
  target_id: string
  workspace_id: number | null
  details: object
  requests: number
  atMs: number
}

export async function insertObservedRows(tx: Tx, rows: readonly ObservedRow[]): Promise<void> {
  const given = rows.map(({ atMs, ...row }) => ({ ...row, time: new Date(atMs).toISOString() }))
  await tx.query(sql`
    insert into audit (kind, time, workspace_id, actor_kind, actor_id, actor_name, ip, request_id,
      action, target_kind, target_id, after)
    select kind, time, workspace_id, actor_kind, actor_id, actor_name, ip, request_id, action, target_kind, target_id, details
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb)
      as given (kind text, time timestamptz, workspace_id int, actor_kind text, actor_id text, actor_name text, ip text,
        request_id text, action text, target_kind text, target_id text, details jsonb)`)
}

/** Undefined matches every row. */
export type AuditFilter = {
  readonly workspace_id: number | undefined
  readonly actor: KindAndId | undefined
  readonly target: KindAndId | undefined
  readonly action: string | undefined
  readonly kind: string | undefined
  readonly request_id: string | undefined
  /** Epoch milliseconds; `sinceMs` is included, `untilMs` is not. */
  readonly sinceMs: number | undefined
  readonly untilMs: number | undefined
}

/** A kind of objects, or one object of that kind. */
export type KindAndId = { readonly kind: string; readonly id: string | undefined }

export type AuditRow = NewAuditRow & {
  audit_id: string
  time: Date
  kind: AuditKind
  actor_kind: Actor['kind']
  actor_id: string
  actor_name: string
  ip: string
  request_id: string
  /** `before` and `after` are null because they are too long for a list. */
  is_cut: boolean
}

const columns = sql`audit_id, kind, time, workspace_id, actor_kind, actor_id, actor_name, ip, request_id,
      action, target_kind, target_id, target_name`

/** Newest first. Omits `before` and `after` in rows where they have more than `charactersMax` characters together. */
export function listAuditRows(
  tx: Tx,
  filter: AuditFilter,
  beforeId: string | undefined,
  limit: number,
  charactersMax: number,
): Promise<AuditRow[]> {
  const conditions = [...filterConditions(filter), ...(beforeId ? [sql`and audit_id < ${beforeId}::int8`] : [])]
  return tx.query<AuditRow>(sql`
    select ${columns}, is_cut, case when not is_cut then before end as before, case when not is_cut then after end as after
    from (
      select *, coalesce(length(before::text), 0) + coalesce(length(after::text), 0) > ${charactersMax}::int as is_cut
      from audit where true ${conditions.reduce((all, one) => sql`${all} ${one}`, sql``)}
      order by audit_id desc limit ${limit}) page
    order by audit_id desc`)
}

function filterConditions({
  workspace_id,
  actor,
  target,
  action,
  kind,
  request_id,
  sinceMs,
  untilMs,
}: AuditFilter): Sql[] {
  return [
    ...(kind === undefined ? [] : [sql`and kind = ${kind}`]),
    ...(workspace_id === undefined ? [] : [sql`and workspace_id = ${workspace_id}`]),
    ...(actor === undefined ? [] : [sql`and actor_kind = ${actor.kind}`]),
    ...(actor?.id === undefined ? [] : [sql`and actor_id = ${actor.id}`]),
    ...(target === undefined ? [] : [sql`and target_kind = ${target.kind}`]),
    ...(target?.id === undefined ? [] : [sql`and target_id = ${target.id}`]),
    ...(action === undefined ? [] : [sql`and action = ${action}`]),
    ...(request_id === undefined ? [] : [sql`and request_id = ${request_id}`]),
    ...(sinceMs === undefined ? [] : [sql`and time >= ${timestampFromMs(sinceMs)}`]),
    ...(untilMs === undefined ? [] : [sql`and time < ${timestampFromMs(untilMs)}`]),
  ]
}

export async function findAuditRow(tx: Tx, audit_id: string): Promise<AuditRow | undefined> {
  const [row] = await tx.query<AuditRow>(sql`
    select ${columns}, before, after, false as is_cut from audit where audit_id = ${audit_id}::int8`)
  return row
}

/** Removes a member of `before` and `after` from all rows about these targets, when the person that it describes is deleted. */
export async function removeAuditedMember(
  tx: Tx,
  target_kind: string,
  target_ids: readonly string[],
  member: string,
): Promise<void> {
  if (target_ids.length === 0) return
  await tx.query(sql`
    update audit set before = before - ${member}::text, after = after - ${member}::text
    where target_kind = ${target_kind} and target_id = any(${textArray(target_ids)}::text[])
      and (before ? ${member}::text or after ? ${member}::text)`)
}

/** Finds the first row at or after a time. Returns an id above all rows when there is none. */
export async function findFirstIdSince(tx: Tx, sinceMs: number): Promise<string> {
  const [row] = await tx.query<{ id: string }>(sql`
    select coalesce(
      (select audit_id from audit where time >= ${timestampFromMs(sinceMs)} order by time, audit_id limit 1),
      (select max(audit_id) + 1 from audit), 0)::int8 as id`)
  return row!.id
}

/** Finds the oldest of the newest `rowsMax` rows of a kind. Undefined when there are not more rows than these. */
export async function findIdAbove(tx: Tx, kind: AuditKind, rowsMax: number): Promise<string | undefined> {
  const [row] = await tx.query<{ id: string }>(sql`
    select audit_id + 1 as id from audit where kind = ${kind} order by audit_id desc offset ${rowsMax} limit 1`)
  return row?.id
}

/** Deletes rows of a kind before an id, at most `limit`, the oldest first. Returns how many were deleted. */
export async function deleteAuditRows(tx: Tx, kind: AuditKind, beforeId: string, limit: number): Promise<number> {
  const rows = await tx.query<{ audit_id: string }>(sql`
    select audit_id from audit where kind = ${kind} and audit_id < ${beforeId}::int8 order by audit_id limit ${limit}`)
  const ids = int8Array(rows.map(({ audit_id }) => audit_id))
  // First, so that a kill leaves no text without its row.
  await tx.query(sql`delete from audit_text where audit_id = any(${ids}::int8[])`)
  await tx.query(sql`delete from audit where audit_id = any(${ids}::int8[])`)
  return rows.length
}
