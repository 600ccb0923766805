import { int8Array } from '../../base/db/arrays.ts'
import type { Db, Tx } from '../../base/db/db.ts'
import { prepared, type Sql, sql } from '../../base/db/sql.ts'
import { timestampFromMs, timestampFromUs, timestampFromUsText } from '../../base/db/timestamps.ts'
import type { CallbackOutcome } from '../../base/fetch/post-callback.ts'
import type { ExportRequest, ExportState } from './schema.ts'

export type ExportKey = { readonly workspace_id: number; readonly id: string }

/** An export that a writer has claimed. Every write of it names the lease. */
export type ClaimedExport = ExportKey & {
  readonly request: ExportRequest
  readonly lease: string
  readonly attempts: number
}

type ClaimedRow = ExportKey & {
  segment_id: string | null
  request: Omit<ExportRequest, 'segment_id'>
  attempts: number
}

/** Inserts an export in the state `waiting`. Returns false while another export of the same people is not finished. */
export async function insertExport(tx: Tx, key: ExportKey, exported: ExportRequest, stampUs: number): Promise<boolean> {
  const { segment_id, ...request } = exported
  const rows = await tx.query(
    prepared(sql`
    insert into segment_export (id, workspace_id, segment_id, request, state, created_at)
    values (${key.id}, ${key.workspace_id}, ${segment_id}, ${JSON.stringify(request)}::jsonb, 'waiting', ${timestampFromUs(stampUs)})
    on conflict do nothing returning 1`),
  )
  return rows.length > 0
}

/** Counts the exports of a workspace, up to `countMax`. */
export async function countExports(tx: Tx, workspace_id: number, countMax: number): Promise<number> {
  const [row] = await tx.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from segment_export where workspace_id = ${workspace_id} limit ${countMax}) e`)
  return row!.count
}

/** Whether a finished export has people who were deleted since. */
const hasDeleted = sql`state = 'done' and deleted is not null`

function isClaimable(nowMs: number): Sql {
  return sql`state in ('waiting', 'running') and (leased_until is null or leased_until <= ${timestampFromMs(nowMs)})`
}

/** Has a row when the writer has work: an export to write, or one with people who were deleted since. `nowMs` is machine time. */
export function exportProbe(nowMs: number): Sql {
  return sql`
    select 1 from segment_export where ${isClaimable(nowMs)}
    union all select 1 from segment_export where ${hasDeleted}`
}

/**
 * Claims the oldest export that is waiting or whose lease has expired, under a lease until `untilMs`. Returns undefined when there is
 * none.
 */
export async function claimExport(
  tx: Tx,
  lease: string,
  nowMs: number,
  untilMs: number,
): Promise<ClaimedExport | undefined> {
  const [row] = await tx.query<ClaimedRow>(
    prepared(sql`
    with o as materialized (
      select id from segment_export
      where ${isClaimable(nowMs)}
      order by created_at, id limit 1 for update skip locked)
    update segment_export e set state = 'running', lease = ${lease}, leased_until = ${timestampFromMs(untilMs)}, attempts = e.attempts + 1,
      people = 0
    from o where e.id = o.id
    returning e.workspace_id, e.id, e.segment_id, e.request, e.attempts`),
  )
  if (!row) return undefined
  const { workspace_id, id, segment_id, request, attempts } = row
  return { workspace_id, id, request: { segment_id, ...request }, lease, attempts }
}

/** Extends the lease of a claimed export, and stores how many people are written. Returns false when another writer has claimed it. */
export async function renewLease(
  tx: Tx,
  { id, lease }: ClaimedExport,
  untilMs: number,
  people: number,
): Promise<boolean> {
  const rows = await tx.query(
    prepared(sql`
    update segment_export set leased_until = ${timestampFromMs(untilMs)}, people = ${people}
    where id = ${id} and state = 'running' and lease = ${lease} returning 1`),
  )
  return rows.length > 0
}

/** Returns a claimed export to `waiting`, with this number of attempts. No writer claims it before `untilMs`. */
export async function releaseExport(
  tx: Tx,
  claimed: ClaimedExport,
  attempts: number,
  untilMs: number | null,
): Promise<void> {
  const { id, lease } = claimed
  const until = untilMs === null ? sql`null` : timestampFromMs(untilMs)
  await tx.query(
    prepared(sql`
    update segment_export set state = 'waiting', lease = null, leased_until = ${until}, attempts = ${attempts}
    where id = ${id} and state = 'running' and lease = ${lease}`),
  )
}

/** Returns all claimed exports to `waiting`. Call this only when no process is writing one. */
export async function releaseAllExports(tx: Tx): Promise<void> {
  await tx.query(sql`
    update segment_export set state = 'waiting', lease = null, leased_until = null where state = 'running'`)
}

/** How writing an export ended. */
export type ExportOutcome =
  | { state: 'done'; object: string; files: number; people: number; bytes: number }
  | { state: 'failed'; failure: string }

/**
 * Records how writing a claimed export ended. An export that is written again keeps its expiry and its callback. Returns false when another
 * writer has claimed it.
 */
export async function finishExport(
  tx: Tx,
  { id, lease }: ClaimedExport,
  outcome: ExportOutcome,
  { stampUs, nowMs, expiresMs }: { stampUs: number; nowMs: number; expiresMs: number },
): Promise<boolean> {
  const { object, files, people, bytes } =
    outcome.state === 'done' ? outcome : { object: null, files: 0, people: 0, bytes: 0 }
  const rows = await tx.query(
    prepared(sql`
    update segment_export set state = ${outcome.state}, lease = null, leased_until = null, object = ${object}, files = ${files},
      people = ${people}, bytes = ${bytes}, failure = ${outcome.state === 'failed' ? outcome.failure : null},
      deleted = case when ${outcome.state} = 'done' then deleted end,
      callback_state = coalesce(callback_state, case when request ->> 'callback_endpoint' is not null then 'waiting' end),
      callback_at = case when callback_state is null then ${timestampFromMs(nowMs)} else callback_at end,
      finished_at = ${timestampFromUs(stampUs)}, expires_at = coalesce(expires_at, ${timestampFromMs(expiresMs)})
    where id = ${id} and state = 'running' and lease = ${lease} returning 1`),
  )
  return rows.length > 0
}

export type ObjectRow = { state: ExportState; object: string | null }

/** Finds the file of an export. There is none while the export may have to be written again without deleted people. */
export async function findObject(tx: Tx, id: string): Promise<ObjectRow | undefined> {
  const [row] = await tx.query<ObjectRow>(sql`
    select state, case when deleted is null then object end as object from segment_export where id = ${id}`)
  return row
}

/** Adds deleted people to all exports that may contain them. An export that has `max` of them gets no more. */
export async function addDeletedPeople(tx: Tx, ids: readonly string[], max: number): Promise<void> {
  await tx.query(sql`
    update segment_export e set deleted = coalesce(e.deleted, '{}') || ${int8Array(ids)}::int8[]
    where e.id = any(array(
      select id from segment_export where state <> 'failed' and coalesce(cardinality(deleted), 0) < ${max} order by id for update))`)
}

/** An export that was written, and the people that were deleted since. */
export type ExportWithDeleted = { readonly id: string; readonly object: string; readonly deleted: readonly string[] }

export async function listWithDeleted(tx: Tx): Promise<ExportWithDeleted[]> {
  return tx.query<ExportWithDeleted>(sql`
    select id, object, deleted::text[] as deleted from segment_export where ${hasDeleted} order by id`)
}

/** Forgets deleted people that are not in an export, unless others were added meanwhile. */
export async function clearDeletedPeople(tx: Tx, id: string, count: number): Promise<void> {
  await tx.query(sql`
    update segment_export set deleted = null where id = ${id} and state = 'done' and cardinality(deleted) = ${count}`)
}

/** Lets an export be written again. When another export of the same people is in progress, it is deleted instead. */
export async function reopenExport(db: Db, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const reopened = await tx.query(sql`
      update segment_export e set state = 'waiting', object = null, lease = null, leased_until = null, attempts = 0, deleted = null,
        finished_at = null
      where e.id = ${id} and e.state = 'done' and not exists (
        select 1 from segment_export o where o.workspace_id = e.workspace_id and o.segment_id is not distinct from e.segment_id
          and o.state in ('waiting', 'running'))
      returning 1`)
    if (reopened.length === 0) await tx.query(sql`delete from segment_export where id = ${id} and state = 'done'`)
  })
}

/** A callback to send, with the export that it is about. */
export type DueCallback = ExportKey & {
  endpoint: string
  output_format: ExportRequest['output_format']
  state: ExportState
  failure: string | null
  attempts: number
  expires_at: Date
}

function isCallbackDue(nowMs: number): Sql {
  return sql`callback_state = 'waiting' and state in ('done', 'failed') and callback_at <= ${timestampFromMs(nowMs)}`
}

/** Has a row when a callback is due. `nowMs` is machine time. */
export function dueCallbackProbe(nowMs: number): Sql {
  return sql`select 1 from segment_export where ${isCallbackDue(nowMs)}`
}

/** Claims due callbacks. Without an outcome they are due again at `againMs`. */
export async function claimCallbacks(tx: Tx, limit: number, nowMs: number, againMs: number): Promise<DueCallback[]> {
  return tx.query<DueCallback>(
    prepared(sql`
    with o as materialized (
      select id from segment_export
      where ${isCallbackDue(nowMs)}
      order by callback_at limit ${limit} for update skip locked)
    update segment_export e set callback_attempts = e.callback_attempts + 1, callback_at = ${timestampFromMs(againMs)}
    from o where e.id = o.id
    returning e.workspace_id, e.id, e.request ->> 'callback_endpoint' as endpoint,
      e.request ->> 'output_format' as output_format, e.state, e.failure, e.callback_attempts as attempts, e.expires_at`),
  )
}

export async function updateCallback(tx: Tx, id: string, { failure, againMs }: CallbackOutcome): Promise<void> {
  const state = againMs !== undefined ? 'waiting' : failure === null ? 'done' : 'failed'
  const again = againMs === undefined ? sql`null` : timestampFromMs(againMs)
  await tx.query(
    prepared(sql`
    update segment_export set callback_state = ${state}, callback_at = ${again}, callback_failure = ${failure}
    where id = ${id} and callback_state = 'waiting'`),
  )
}

/** Deletes exports that have expired. */
export async function deleteExpired(tx: Tx, nowMs: number): Promise<void> {
  await tx.query(prepared(sql`delete from segment_export where expires_at <= ${timestampFromMs(nowMs)}`))
}

/** Finds the exports with these ids. Those that are not done have no object. */
export async function findExports(tx: Tx, ids: readonly string[]): Promise<(ObjectRow & { id: string })[]> {
  return tx.query<ObjectRow & { id: string }>(sql`
    select e.id, e.state, e.object from segment_export e
    join jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) v(id) on v.id = e.id`)
}

/** The export after which a page of the list begins. */
export type ExportCursor = { createdUs: string; id: string }

export type ExportRow = Omit<ObjectRow, 'object'> & {
  id: string
  segment_id: string | null
  request: Omit<ExportRequest, 'segment_id'>
  files: number
  people: number
  bytes: string
  failure: string | null
  callback_state: 'waiting' | 'done' | 'failed' | null
  callback_attempts: number
  callback_failure: string | null
  created_at: Date
  created_us: string
  finished_at: Date | null
  expires_at: Date | null
}

/** Lists a page of exports, newest first; those of one segment when `segment_id` is given. */
export async function listExports(
  tx: Tx,
  workspace_id: number,
  after: ExportCursor | undefined,
  limit: number,
  segment_id?: string,
): Promise<ExportRow[]> {
  const page = after ? sql`and (created_at, id) < (${timestampFromUsText(after.createdUs)}, ${after.id})` : sql``
  const ofSegment = segment_id === undefined ? sql`` : sql`and segment_id = ${segment_id}`
  return tx.query<ExportRow>(sql`
    select id, segment_id, request, state, files, people, bytes, failure, callback_state, callback_attempts, callback_failure,
      created_at, (extract(epoch from created_at) * 1000000)::int8 as created_us, finished_at, expires_at
    from segment_export where workspace_id = ${workspace_id} ${ofSegment} ${page} order by created_at desc, id desc limit ${limit}`)
}
